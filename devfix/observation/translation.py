"""Translation: an observed mismatch in terms of the program's sources, as the rules know mismatches."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from devfix.findings import Mismatch, Operand
from devfix.observation.lives import Lives
from devfix.observation.parts import Candidate, best_sink, matched, parts_of
from devfix.observation.pointing import Pointer, Spot, expressions_on
from devfix.observation.record import ObservedMismatch, ObservedOperand, Owner

#: Operators of ATen behind the layers that users call, as far as a fix asks for the layer.
_LAYERS = {
    "addmm": "Linear",
    "mm": "Linear",
    "embedding": "Embedding",
    "convolution": "Conv2d",
    "mkldnn_rnn_layer": "LSTM",
}
_KERNEL = re.compile(r"_(forward|backward|forward_output|out)$")
_LOSS = re.compile("loss|entropy")


@dataclass(frozen=True, slots=True)
class Sighting:
    """An observed mismatch with its place in the program, before its operands are described."""

    observed: ObservedMismatch
    sink: Spot
    nodes: dict[int, ast.expr]
    lives: Lives

    @property
    def names(self) -> dict[str, str]:
        """What the names of the sink's frame stand for."""
        return dict(self.observed.names[-1]) if self.observed.names else {}


def translated(observed: ObservedMismatch, pointer: Pointer) -> Mismatch | None:
    """The mismatch as the rules know it; None when it is nowhere in the program."""
    sighting = sighted(observed, pointer)
    if sighting is None:
        return None
    operands = _operands(sighting)
    if not operands:
        return None
    return Mismatch(
        observed.kind,
        sighting.sink.path,
        sighting.sink.span,
        _operation(sighting),
        tuple(operands),
        tuple(sorted(_detail(sighting, operands).items())),
    )


def sighted(observed: ObservedMismatch, pointer: Pointer) -> Sighting | None:
    """Where in the program a mismatch was seen, and how its operands are written there."""
    sink = pointer.spot(observed.sink)
    if sink is None:
        return None
    names = dict(observed.names[-1]) if observed.names else {}
    candidates = [Candidate(operand, _made(operand, pointer)) for operand in observed.operands]
    if isinstance(sink.node, ast.stmt) and not isinstance(sink.node, (ast.AugAssign, ast.For, ast.AsyncFor)):
        nodes = expressions_on(sink)
        sink = sink.at(best_sink(nodes, candidates, names, sink)) if nodes else sink
    nodes_of = matched(parts_of(sink.node, sink.outline), candidates, names, sink)
    return Sighting(observed, sink, nodes_of, Lives(pointer, observed))


def _made(operand: ObservedOperand, pointer: Pointer) -> Spot | None:
    return pointer.spot(operand.made.place) if operand.made is not None else None


def _operands(sighting: Sighting) -> list[Operand]:
    """The operands that matter, those on the CPU first; a module's parameters count as one."""
    described: dict[tuple[str, object, str | None], Operand] = {}
    for number, operand in enumerate(sighting.observed.operands):
        if not operand.shape and not operand.blamed:
            continue
        one = _operand(sighting, number, operand)
        described.setdefault((one.role, one.span, one.device), one)
    return sorted(described.values(), key=lambda one: one.device != "cpu")


def _operand(sighting: Sighting, number: int, operand: ObservedOperand) -> Operand:
    node = sighting.nodes.get(number)
    weights = is_weight(sighting, node, operand)
    if weights and isinstance(sighting.sink.node, ast.Call):
        node = sighting.sink.node.func
    spot = sighting.sink.at(node) if node is not None else sighting.sink
    owner = owner_of(operand)
    device = operand.device.partition(":")[0]
    trail, roots = sighting.lives.of_tensor(operand, node)
    if device == "cpu" and owner is not None:
        kept = keeper(operand)
        trail = sighting.lives.of_container(kept) if kept is not None else sighting.lives.of_module(owner)
        roots = ()
    role = "weight" if weights else _role(sighting, operand)
    return Operand(spot.text, role, spot.path, spot.span, device, operand.dtype, trail, roots)


def is_weight(sighting: Sighting, node: ast.expr | None, operand: ObservedOperand) -> bool:
    """Whether the operand is a part of the module that is called at the sink."""
    call = sighting.sink.node
    if not isinstance(call, ast.Call):
        return False
    called = sighting.names.get(ast.unparse(call.func), "").startswith("module")
    return node is call.func or (node is None and called and bool(operand.owners))


def owner_of(operand: ObservedOperand) -> Owner | None:
    """The largest module that the operand belongs to and shares its device with."""
    return next((owner for owner in operand.owners if owner.whole), None)


def keeper(operand: ObservedOperand) -> Owner | None:
    """The owner that a plain list or dictionary keeps from the module around it."""
    kept = [owner for owner in operand.owners if owner.kept]
    return next((owner for owner in reversed(kept) if owner.kept_type in ("list", "dict", "tuple")), None)


def _role(sighting: Sighting, operand: ObservedOperand) -> str:
    """The operator's name for the operand; "weight" is only said of modules and losses."""
    name = {"self": "input", "indices": "index", "tensors": "tensors"}.get(operand.role, operand.role)
    if name == "weight" and not _LOSS.search(sighting.observed.operation):
        return "other"
    return name


def _operation(sighting: Sighting) -> str:
    """The canonical name of what brings the operands together, as near as the kernel tells."""
    name = _KERNEL.sub("", sighting.observed.operation.partition("::")[2] or sighting.observed.operation)
    call = sighting.sink.node
    if isinstance(call, ast.Call) and sighting.names.get(ast.unparse(call.func), "").startswith("module"):
        loss = _LOSS.search(name)
        return f"torch.nn.functional.{name}" if loss else f"torch.nn.{_LAYERS.get(name, 'Module')}"
    name = name.rstrip("_")
    return f"torch.nn.functional.{name}" if _LOSS.search(name) else f"torch.{name}"


def _detail(sighting: Sighting, operands: Sequence[Operand]) -> dict[str, str]:
    found = {"scope": sighting.sink.scope}
    weights = any(operand.role == "weight" for operand in operands)
    observed = sighting.observed.operands
    if weights and not _LOSS.search(sighting.observed.operation):
        owners = [owner for operand in observed for owner in operand.owners]
        found["module"] = owners[0].class_name if owners else "module"
    blamed = [operand for operand in observed if operand.device.startswith("cpu")]
    if weights and any(keeper(operand) is not None for operand in blamed):
        found["unregistered"] = "1"
    written = _written(sighting.observed)
    if written is not None:
        found["in_place"] = _role(sighting, written)
    return found


def _written(observed: ObservedMismatch) -> ObservedOperand | None:
    """The operand that an in-place operation writes to."""
    name = observed.operation
    in_place = name.endswith("_") and not name.endswith("__")
    return (
        next((operand for operand in observed.operands if operand.role == "self"), None) if in_place else None
    )


def all_translated(observed: Iterable[ObservedMismatch], pointer: Pointer) -> list[Mismatch]:
    """The mismatches that are in the program, each once."""
    found = (translated(one, pointer) for one in observed)
    return list(dict.fromkeys(one for one in found if one is not None))
