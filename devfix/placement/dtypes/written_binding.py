"""Written bindings: the assignments that gave a tensor the name or attribute by which it is written to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, first_name
from devfix.findings import FileEdit, InsertBefore, Operand
from devfix.placement.devices.device_expression import Place, place_at

#: The kinds of places in a tensor's life that are targets of assignments.
_TARGETS = ("name", "attribute")
#: Methods of tensors that give another shape to what stays where it is.
_VIEWING = frozenset(
    "view view_as reshape flatten squeeze unsqueeze transpose permute t detach narrow select".split()
)


def values(facts: Facts, operand: Operand) -> Iterator[tuple[Place, Place]]:
    """Each target that the tensor alone was assigned to, the last first, and what was assigned.

    A cast would part the tensor from what else it is a name for, which then misses what is written to it.
    """
    found = list(_assigned(facts, operand))
    for number, (target, value) in enumerate(found):
        if not _is_kept(facts, value) and not _is_renamed(value, found[number + 1 :]):
            yield target, value


def _is_kept(facts: Facts, value: Place) -> bool:
    """Whether a value is what the object of a method keeps, or a view of that: ``row = self.table[0]``."""
    outline, node = value.outline, value.node
    function = outline.function_of(node)
    while True:
        if isinstance(node, ast.Subscript) and _is_view(outline, facts, node.slice):
            node = node.value
        elif isinstance(node, ast.Call) and called(node) in _VIEWING and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            break
    receiver = outline.receiver_name(function) if function is not None else None
    return isinstance(node, ast.Attribute) and receiver is not None and first_name(node) == receiver


def _is_view(outline: Outline, facts: Facts, index: ast.expr) -> bool:
    """Whether what is at an index is no copy, as it is where a tensor looks it up."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(
        isinstance(part, (ast.Constant, ast.Slice))
        or (isinstance(part, ast.UnaryOp) and isinstance(part.operand, ast.Constant))
        or (isinstance(part, ast.Name) and not _may_be_tensor(outline, facts, part))
        for part in parts
    )


def _may_be_tensor(outline: Outline, facts: Facts, name: ast.Name) -> bool:
    known = facts.bindings(outline.source.path, outline.scopes(name)[0]).get(name.id, [])
    return any(each.kind == "tensor" for each in known)


def _is_renamed(value: Place, earlier: list[tuple[Place, Place]]) -> bool:
    """Whether a value has a name already, which it always got in the same function: ``total = counts``."""
    for target, _ in earlier[:1]:
        same = isinstance(value.node, ast.Name) and getattr(target.node, "id", None) == value.node.id
        if (
            same
            and target.path == value.path
            and target.outline.scopes(target.node) == value.outline.scopes(value.node)
        ):
            return value.outline.dominates(value.outline.statement_of(target.node), value.node)
    return False


def _assigned(facts: Facts, operand: Operand) -> Iterator[tuple[Place, Place]]:
    for site in reversed(operand.trail):
        target = place_at(facts, site.path, site.span) if site.kind in _TARGETS else None
        statement = target.outline.statement_of(target.node) if target is not None else None
        if target is None or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if targets == [target.node] and statement.value is not None:
            yield target, Place(target.path, target.outline, statement.value)


def before_use(facts: Facts, operand: Operand, bound: Place, suffix: str) -> tuple[FileEdit, ...]:
    """``x = x.float()`` before what needs it, where another path gives the name another value."""
    place = place_at(facts, operand.path, operand.span)
    if place is None or not isinstance(place.node, ast.Name) or place.path != bound.path:
        return ()
    outline, name = place.outline, place.node.id
    if not suffix or outline.scopes(place.node) != outline.scopes(bound.node):
        return ()
    if outline.dominates(outline.statement_of(bound.node), place.node):
        return ()
    span = outline.source.span(outline.statement_of(place.node))
    return (FileEdit(place.path, InsertBefore(span, f"{name} = {name}{suffix}")),)


def made(facts: Facts, operand: Operand) -> Place | None:
    """Where a tensor that was computed came to be; what it was computed of is something else."""
    first = operand.trail[0] if operand.trail else None
    place = place_at(facts, first.path, first.span) if first is not None and first.kind == "result" else None
    return place if place is not None and not _is_kept(facts, place) else None
