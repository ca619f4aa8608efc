"""Writing: what a function made for itself and an augmented assignment writes to moves before that.

What is sent to the CPU by name to be written to something else goes to where that is.
"""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, InsertBefore, Mismatch, Operand, ReplaceExpression
from devfix.placement.devices import device_expression
from devfix.placement.moves import destination
from devfix.placement.text.naming import named_tensor

Edits = tuple[FileEdit, ...]

#: What a tensor may have gone through that nobody else holds.
_FRESH = frozenset({"factory", "random-factory", "numpy", "cast", "result", "name"})


def otherwise(facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]) -> Edits:
    """What is left for an operation that writes in place."""
    return before(facts, mismatch, operand, peers) or _sent(facts, mismatch, operand, peers)


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


def _sent(facts: Facts, mismatch: Mismatch, operand: Operand, peers: list[Operand]) -> Edits:
    """``own.add_(v.cpu())`` becomes ``own.add_(v.to(own.device))``: the same wherever ``own`` is on the CPU."""
    place = device_expression.place_at(facts, operand.path, operand.span)
    method = _sending(place.node) if place is not None else None
    if place is None or method is None or len(peers) != 1 or peers[0].path != operand.path:
        return ()
    kept = place.outline.expression_at(peers[0].span)
    while isinstance(kept, ast.Call) and isinstance(kept.func, ast.Attribute) and _in_place(kept.func.attr):
        kept = kept.func.value
    name = named_tensor(place.outline, facts, kept) if kept is not None else None
    if name is None or not destination.is_written(mismatch, peers[0]):
        return ()
    source = place.outline.source
    sent = source.segment(source.span(method.value))
    return (FileEdit(place.path, ReplaceExpression(operand.span, f"{sent}.to({name}.device)")),)


def _sending(node: ast.AST) -> ast.Attribute | None:
    """The method of ``x.cpu()``."""
    method = node.func if isinstance(node, ast.Call) and not (node.args or node.keywords) else None
    return method if isinstance(method, ast.Attribute) and method.attr == "cpu" else None


def _in_place(method: str) -> bool:
    return method.endswith("_") and not method.startswith("_")
