"""Drawn: random numbers on one device from a generator on another."""

from __future__ import annotations

import ast
import re

from devfix.findings import Mismatch, Operand
from devfix.observation.sighting import Sighting
from devfix.observation.spots import Spot

#: What torch says (aten/src/ATen/core/Generator.h).
_SAID = re.compile(r"Expected an? '(\w+)' device type for generator but found '(\w+)'")


def translated(sighting: Sighting) -> list[Mismatch]:
    """The generator and what draws from it, as operands; once for each loader that a loop draws from."""
    said = _SAID.search(sighting.observed.message)
    if said is None:
        return []
    return [_drawn(sighting, sink, said[2], said[1]) for sink in _drawing(sighting)]


def _drawn(sighting: Sighting, sink: Spot, of_generator: str, of_result: str) -> Mismatch:
    node = _given(sink.node)
    frame = len(sighting.lives.frames) - 1
    made = _construction(sighting.lives.whence.source(node, sink, frame)) if node is not None else None
    at = sink.at(node) if node is not None else sink
    trail = (made.origin("factory"),) if made is not None else ()
    generator = Operand(at.text, "generator", at.path, at.span, of_generator, trail=trail)
    result = Operand(sink.text, "result", sink.path, sink.span, of_result)
    # Where no device is told, the default one may have been another when the generator was made.
    early = (("early", "yes"),) if _is_untold(sink.node) else ()
    detail = (*early, ("scope", sink.scope))
    return Mismatch("generator", sink.path, sink.span, "torch.Generator", (generator, result), detail)


def _drawing(sighting: Sighting) -> list[Spot]:
    """The calls that draw: the sink itself, or those that made the loaders of a loop."""
    sink = sighting.sink
    if isinstance(sink.node, ast.Call) and _given(sink.node) is not None:
        return [sink]
    statement = sink.outline.statement_of(sink.node)
    source = statement.iter if isinstance(statement, (ast.For, ast.AsyncFor)) else sink.node
    found: dict[tuple[str, object], Spot] = {}
    for node in ast.walk(source):
        if isinstance(node, (ast.Name, ast.Attribute)) and sighting.what_is(node) == "loader":
            made = sighting.lives.whence.source(node, sink, len(sighting.lives.frames) - 1)
            if isinstance(made.node, ast.Call):
                found.setdefault((made.path, made.span), made)
    return list(found.values())


def _given(call: ast.AST) -> ast.expr | None:
    """The generator that a call is given."""
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return next((keyword.value for keyword in keywords if keyword.arg == "generator"), None)


def _is_untold(call: ast.AST) -> bool:
    """Whether a call is told nothing of a device."""
    return isinstance(call, ast.Call) and all(
        keyword.arg not in ("device", None) for keyword in call.keywords
    )


def _construction(source: Spot) -> Spot | None:
    """The call of ``torch.Generator`` in an expression such as ``torch.Generator().manual_seed(0)``."""
    for node in ast.walk(source.node):
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) == "Generator"
        ):
            return source.at(node)
    return None
