"""Stepped: an optimizer whose state is where its parameters were before they moved."""

from __future__ import annotations

from devfix.findings import Mismatch, Operand, Origin
from devfix.observation.record import Place
from devfix.observation.sighting import Sighting
from devfix.placement.blaming.causes import Trail


def translated(sighting: Sighting) -> list[Mismatch]:
    """The state and the parameters as operands; the chains of statements that made them so are their roots."""
    sink, observed = sighting.sink, sighting.observed
    history = dict(observed.history)
    built, filled = _chain(sighting, history.get("built")), _chain(sighting, history.get("filled"))
    moved = _chain(sighting, history.get("moved"))
    if not built:
        return []
    owner = next((o for operand in observed.operands for o in operand.owners if o.whole), None)
    life = sighting.lives.of_module(owner) if owner is not None else ()
    state = Operand(
        sink.text, "state", sink.path, sink.span, "cpu",
        trail=(*built[-1:], *filled[-1:]), roots=(built, filled or built),
    )  # fmt: skip
    name = owner.path if owner is not None else sink.text
    params = Operand(
        name, "params", sink.path, sink.span, "cuda", trail=moved[-1:], roots=(moved, life) if moved else ()
    )
    detail = (("cause", "state" if filled else "constructor"), ("scope", sink.scope))
    return [
        Mismatch("optimizer-state", sink.path, sink.span, "torch.optim.Optimizer", (state, params), detail)
    ]


def _chain(sighting: Sighting, stack: tuple[Place, ...] | None) -> Trail:
    """The statements that were being executed, outermost first."""
    found: list[Origin] = []
    for place in stack or ():
        spot = sighting.lives.pointer.spot(place)
        if spot is not None:
            statement = spot.at(spot.outline.statement_of(spot.node))
            found.append(statement.origin("other", ""))
    return tuple(found)
