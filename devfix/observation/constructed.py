"""Constructed: tensors that are made, or kept, in a way that an accelerator does not allow."""

from __future__ import annotations

import ast
from dataclasses import replace

from devfix.findings import Mismatch, Operand
from devfix.observation import operands
from devfix.observation.module_classes import is_module_class
from devfix.observation.sighting import Sighting

_MODULE = "torch.nn.Module"


def of_leaves(sighting: Sighting) -> list[Mismatch]:
    """A moved tensor that is no leaf any more; a module moves what it keeps by itself."""
    return [_as_of_module(each, sighting) for each in operands.translated(sighting)]


def _as_of_module(mismatch: Mismatch, sighting: Sighting) -> Mismatch:
    trail = mismatch.operands[0].trail
    kept = sighting.observed.operation.startswith(_MODULE) or any(
        site.kind == "module-attribute" for site in trail[1:]
    )
    made = sighting.lives.pointer.facts.program.sources.get(trail[0].path) if trail else None
    if made is None or not (kept or _is_in_constructor(mismatch, sighting)):
        return mismatch
    return replace(mismatch, operation=_MODULE)


def _is_in_constructor(mismatch: Mismatch, sighting: Sighting) -> bool:
    """Whether a module's own method made the tensor."""
    facts, origin = sighting.lives.pointer.facts, mismatch.operands[0].trail[0]
    outline = facts.outline(origin.path)
    node = outline.expression_at(origin.span)
    function = outline.function_of(node) if node is not None else None
    cls = outline.class_of(function) if function is not None else None
    return cls is not None and is_module_class(sighting.lives.pointer, origin.path, cls)


def of_legacy(sighting: Sighting) -> list[Mismatch]:
    """A constructor such as ``torch.FloatTensor`` that is given another device than its own."""
    sink = sighting.sink
    if not isinstance(sink.node, ast.Call):
        return []
    operand = Operand(sink.text, "device", sink.path, sink.span, "cpu")
    detail = (("form", _form(sink.node)), ("scope", sink.scope))
    name = sighting.observed.operation
    return [Mismatch("legacy-constructor", sink.path, sink.span, name, (operand,), detail)]


def _form(call: ast.Call) -> str:
    """Whether a constructor is given data or sizes; one argument that is no number is data."""
    if len(call.args) != 1:
        return "sizes"
    [given] = call.args
    number = isinstance(given, ast.Constant) and isinstance(given.value, int)
    counted = isinstance(given, ast.Call) and getattr(given.func, "attr", getattr(given.func, "id", "")) in (
        "size", "len", "int", "numel",
    )  # fmt: skip
    return "sizes" if number or counted else "data"
