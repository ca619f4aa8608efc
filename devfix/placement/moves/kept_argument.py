"""Kept arguments: what a plain object keeps of what its constructor is given moves once, where that is handed over."""

from __future__ import annotations

import ast
from itertools import pairwise

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, Origin
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import place_at
from devfix.placement.moves import suffixes
from devfix.placement.moves.argument_move import parameter_at
from devfix.placement.telling import told_function
from devfix.placement.text import handed

Edits = tuple[FileEdit, ...]


def where_handed(facts: Facts, life: tuple[Origin, ...]) -> Edits:
    """``Loss(weights(rows).to(device))`` where the constructor says ``self.weights = weights``, and nothing else of them.

    Each method would move it anew. All that make such an object have to know the device.
    """
    if facts.program.adopts or not life or facts.is_read_on_host(life):
        return ()
    for given, kept in reversed(list(pairwise(life))):
        if (given.kind, kept.kind) != ("argument", "attribute") or given.path not in facts.program.sources:
            continue
        constructor, name = parameter_at(facts, given) or (None, "")
        if not isinstance(constructor, ast.FunctionDef) or constructor.name != "__init__":
            continue
        if _only_keeps(facts, kept, constructor, name):
            return _moved(facts, facts.outline(given.path), constructor, name)
    return ()


def _only_keeps(facts: Facts, kept: Origin, constructor: ast.FunctionDef, name: str) -> bool:
    """Whether a plain object's constructor has a tensor for a parameter each time, and only gives it to an attribute."""
    place = place_at(facts, kept.path, kept.span)
    statement = place.outline.statement_of(place.node) if place is not None else None
    if place is None or not isinstance(statement, ast.Assign) or statement not in constructor.body:
        return False
    if device_expression.is_in_module(facts, place) or statement.targets != [place.node]:
        return False
    given = facts.bindings(place.path, place.outline.scope(statement)).get(name, [])
    reads = place.outline.occurrences(constructor, name)
    return [*reads] == [statement.value] and {each.kind for each in given} == {"tensor"}


def _moved(facts: Facts, outline: Outline, constructor: ast.FunctionDef, name: str) -> Edits:
    ways: list[Edits] = []
    for call in told_function.calls(facts, outline, constructor):
        value = (
            handed.argument(outline, constructor, name, call.node)
            if call is not None and isinstance(call.node, ast.Call)
            else None
        )
        found = device_expression.chosen(facts, call) if call is not None else None
        if call is None or value is None or found is None or found.edits:
            return ()
        ways.append(suffixes.added(facts, call.outline, value, f".to({found.code})"))
    return tuple(edit for way in ways for edit in way) if all(ways) else ()
