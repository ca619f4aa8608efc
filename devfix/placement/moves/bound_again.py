"""Bound again: a name that a loop gives another value moves there, too, where all else that it is given moves or has moved."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.outline import Outline
from devfix.findings import Span
from devfix.placement.devices.boundness import decides
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import aliases
from devfix.placement.to_host import shared_memory


def may_move(facts: Facts, place: Place, statement: ast.Assign) -> bool:
    """Whether what a statement gives the name at a place may move there: each use sees that, or what is on the accelerator."""
    if _is_written_to(place.outline, statement):
        return False
    return decides(place.outline, statement, statement.targets[0]) or _moves_with_others(
        facts, place, statement
    )


def _moves_with_others(facts: Facts, place: Place, statement: ast.Assign) -> bool:
    """Whether whatever else gives the name a value does so before, a tensor that is on the accelerator or has to move as well."""
    outline, target = place.outline, place.node
    function = outline.function_of(statement)
    if not isinstance(target, ast.Name) or function is None:
        return False
    own = outline.source.span(statement)
    known = facts.bindings(place.path, outline.scope(statement)).get(target.id, [])
    others = [each for each in known if each.statement != own]
    stores = (node for node in outline.occurrences(function, target.id) if not isinstance(node.ctx, ast.Load))
    seen = {each.statement for each in known}
    return (
        others != []
        and all(outline.source.span(outline.statement_of(node)) in seen for node in stores)
        and all(_comes_before(outline, each, statement) for each in others)
        and all(_has_moved(each) or _is_to_move(facts, outline, each) for each in others)
    )


def _comes_before(outline: Outline, binding: Binding, statement: ast.Assign) -> bool:
    """Whether a name has another value whenever a statement is reached, which is no other branch then."""
    other = outline.statement_at(binding.statement) if binding.statement is not None else None
    return binding.statement is None or (other is not None and outline.dominates(other, statement))


def _has_moved(binding: Binding) -> bool:
    return binding.kind == "tensor" and binding.device is not None and binding.device.is_accelerator


def _is_to_move(facts: Facts, outline: Outline, binding: Binding) -> bool:
    """Whether what a statement binds meets the accelerator from the CPU, and moves in that statement."""
    statement = outline.statement_at(binding.statement) if binding.statement is not None else None
    if binding.kind != "tensor" or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not decides(outline, statement, target):
        return False
    found = _meets(facts, outline.source.path, outline.source.span(target))
    return found and not _is_written_to(outline, statement)


def _is_written_to(outline: Outline, statement: ast.Assign) -> bool:
    """Whether something writes to what a statement gives a name, and means what else has that."""
    value = Place(outline.source.path, outline, statement.value)
    return shared_memory.is_written_later(value) or aliases.is_written(outline, statement)


def _meets(facts: Facts, path: str, named: Span) -> bool:
    """Whether an operand that is on the CPU, and should not be, got its name at a place."""
    return any(
        (site.kind, site.path, site.span) == ("name", path, named)
        for mismatch in facts.mismatches("device")
        for operand in mismatch.operands
        if operand.device == "cpu"
        for site in operand.trail
    )
