"""All uses: a name that gets its one value, and all uses of which are refused alike, is cast where it gets that."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAtBodyStart, Mismatch, Operand
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.dtypes import dtype_keyword
from devfix.placement.moves import suffixes

#: What does the same for every dtype: ``labels.fill_(0)`` writes a number in the one that is there.
_INDIFFERENT = frozenset("fill_ zero_ size shape dim ndim numel device".split())


def cast(facts: Facts, mismatch: Mismatch, operand: Operand, suffix: str) -> tuple[FileEdit, ...]:
    """The edits that cast the one value of the operand's name, which is used several times."""
    place = place_at(facts, operand.path, operand.span)
    if place is None or not isinstance(place.node, ast.Name):
        return ()
    outline, name = place.outline, place.node.id
    function = outline.function_of(place.node)
    scope = function or outline.source.tree
    named = [node for node in in_rows(scope) if isinstance(node, ast.Name) and node.id == name]
    bound = [node for node in named if not isinstance(node.ctx, ast.Load)]
    uses = [node for node in named if node not in bound and not _is_indifferent(outline, node)]
    if len(uses) < 2 or not {outline.source.span(node) for node in uses} <= _refused(facts, mismatch):
        return ()
    if function is not None and any(each.arg == name for each in parameters_of(function)):
        code = f"{name} = {name}{suffix}"
        at = outline.source.span(function)
        return (FileEdit(place.path, InsertAtBodyStart(at, code)),) if not bound and suffix else ()
    statement = outline.statement_of(bound[0]) if len(bound) == 1 else None
    if not isinstance(statement, ast.Assign) or statement.targets != bound:
        return ()
    return _cast_value(facts, mismatch, Place(place.path, outline, statement.value), suffix)


def _refused(facts: Facts, mismatch: Mismatch) -> set[object]:
    """Where operands of the file are refused as this one is."""
    return {
        each.operands[0].span
        for each in facts.mismatches(mismatch.kind)
        if each.path == mismatch.path and each.get("wanted") == mismatch.get("wanted")
    }


def _is_indifferent(outline: Outline, node: ast.Name) -> bool:
    around = outline.parents.get(node)
    return isinstance(around, ast.Attribute) and around.attr in _INDIFFERENT


def _cast_value(facts: Facts, mismatch: Mismatch, value: Place, suffix: str) -> tuple[FileEdit, ...]:
    """What fills a tensor with a number is told that it is one of floats; other values are cast."""
    fills = getattr(getattr(value.node, "func", None), "attr", "") == "full"
    told = dtype_keyword.told(value, "float32") if fills and mismatch.get("wanted") == "float32" else ()
    return told or suffixes.added(facts, value.outline, value.node, suffix)
