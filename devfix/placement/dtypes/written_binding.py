"""Written bindings: the assignments that gave a tensor the name or attribute by which it is written to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, InsertBefore, Operand
from devfix.placement.devices.device_expression import Place, place_at

#: The kinds of places in a tensor's life that are targets of assignments.
_TARGETS = ("name", "attribute")


def values(facts: Facts, operand: Operand) -> Iterator[tuple[Place, Place]]:
    """Each target that the tensor alone was assigned to, the last first, and what was assigned."""
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
    return place_at(facts, first.path, first.span) if first is not None and first.kind == "result" else None
