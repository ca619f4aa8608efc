"""Drawn: random numbers on one device from a generator on another."""

from __future__ import annotations

import ast
import re

from devfix.findings import Mismatch, Operand
from devfix.observation.pointing import Spot
from devfix.observation.sighting import Sighting

#: What torch says (aten/src/ATen/core/Generator.h).
_SAID = re.compile(r"Expected an? '(\w+)' device type for generator but found '(\w+)'")


def translated(sighting: Sighting) -> Mismatch | None:
    """The generator and what draws from it, as operands."""
    said = _SAID.search(sighting.observed.message)
    found = _generator(sighting)
    if said is None or found is None:
        return None
    sink, node = found
    made = _construction(sighting.lives.source(node, sink, len(sighting.lives.frames) - 1))
    at = sink.at(node)
    trail = (made.origin("factory"),) if made is not None else ()
    generator = Operand(at.text, "generator", at.path, at.span, said[2], trail=trail)
    result = Operand(sink.text, "result", sink.path, sink.span, said[1])
    detail = (("scope", sink.scope),)
    return Mismatch("generator", sink.path, sink.span, "torch.Generator", (generator, result), detail)


def _generator(sighting: Sighting) -> tuple[Spot, ast.expr] | None:
    """The call that draws, and the expression of its generator; of a loader that is where it was made."""
    call = sighting.sink.node
    if isinstance(call, ast.Call):
        given = _given(call)
        return (sighting.sink, given) if given is not None else None
    return None


def _given(call: ast.Call) -> ast.expr | None:
    named = (keyword.value for keyword in call.keywords if keyword.arg == "generator")
    return next(named, None)


def _construction(source: Spot) -> Spot | None:
    """The call of ``torch.Generator`` in an expression such as ``torch.Generator().manual_seed(0)``."""
    for node in ast.walk(source.node):
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) == "Generator"
        ):
            return source.at(node)
    return None
