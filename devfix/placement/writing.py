"""Writing: what a function made for itself and an augmented assignment writes to moves before that."""

from __future__ import annotations

import ast

from devfix.analysis.facts import Facts
from devfix.findings import FileEdit, InsertBefore, Mismatch, Operand
from devfix.placement import destination, device_expression

Edits = tuple[FileEdit, ...]

#: What a tensor may have gone through that nobody else holds.
_FRESH = frozenset({"factory", "random-factory", "numpy", "cast", "result", "name"})


def before(facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]) -> Edits:
    """``mask = mask.to(x.device)`` before ``mask &= x``.

    What is there already stays the tensor that it is. Nobody else may hold it, who would look at what was not written to.
    """
    if not destination.is_written(mismatch, operand):
        return ()
    place = device_expression.place_at(facts, operand.path, operand.span)
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not isinstance(statement, ast.AugAssign) or statement.target is not place.node:
        return ()
    if not isinstance(place.node, ast.Name):
        return ()
    named = [site for site in operand.trail if site.kind == "name"]
    if not named or any(site.kind not in _FRESH for site in operand.trail) or not _is_called(facts, operand):
        return ()
    found = device_expression.find(facts, place, peers)
    if found is None or found.code.partition(".")[0] == place.node.id:
        return ()
    code = f"{place.node.id} = {place.node.id}.to({found.code})"
    return (*found.edits, FileEdit(place.path, InsertBefore(place.outline.source.span(statement), code)))


def _is_called(facts: Facts, operand: Operand) -> bool:
    """Whether each name on the way to the operand was given what a call returned."""
    for site in operand.trail:
        if site.kind != "name":
            continue
        place = device_expression.place_at(facts, site.path, site.span)
        statement = place.outline.statement_of(place.node) if place is not None else None
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            return False
    return True
