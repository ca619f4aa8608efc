"""Returned beside: a part of a batch that a function gives back with parts that it moves moves there as these do."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import only_return, parameters_of
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import FileEdit, Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.siblings import sibling_move
from devfix.placement.telling import told_function
from devfix.placement.text.provenance import names_left_behind

Edits = tuple[FileEdit, ...]


def moved(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """``return image, batch["age"].to(device)`` behind ``image = batch["image"].to(device)``, once for all who call it.

    Each of them leaves that part behind; a part that one of them has a use for on the CPU stays there.
    """
    for site in (site for life in trails for site in life if site.kind == "name"):
        place = place_at(facts, site.path, site.span)
        if place is not None and (edits := _where_returned(facts, place)):
            return edits
    return ()


def _where_returned(facts: Facts, place: Place) -> Edits:
    number, call = _unpacked(place)
    found = _function(facts, call) if call is not None else None
    if found is None:
        return ()
    outline, function = found
    returned = only_return(function)
    parts = returned.value.elts if returned is not None and isinstance(returned.value, ast.Tuple) else []
    if returned is not function.body[-1] or not 0 <= number < len(parts):
        return ()
    part = parts[number]
    given = part.value if isinstance(part, ast.Subscript) else None
    if not isinstance(given, ast.Name) or given.id not in {each.arg for each in parameters_of(function)}:
        return ()
    for statement, name in _moves(function, given.id, parts):
        suffix = sibling_move.last_move(statement.value)
        if sibling_move.is_placed(facts, Place(outline.source.path, outline, part), statement, name):
            edits = suffixes.as_beside(facts, outline, part, suffix, statement)
            return edits if _all_leave_it(facts, outline, function, number) else ()
    return ()


def _unpacked(place: Place) -> tuple[int, ast.Call | None]:
    """Which part of what a call gives gets a name."""
    statement = place.outline.statement_of(place.node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Tuple):
        return -1, None
    number = target.elts.index(place.node) if place.node in target.elts else -1
    spread = any(isinstance(each, ast.Starred) for each in target.elts)
    return number, statement.value if isinstance(statement.value, ast.Call) and not spread else None


def _function(facts: Facts, call: ast.Call) -> tuple[Outline, ast.FunctionDef] | None:
    """The one function of the program, outside of others and of classes, that has the name that is called."""
    name = called(call)
    found = [
        (facts.outline(path), node)
        for path in facts.program.sources
        if f"def {name}(" in facts.source(path).text
        for node in facts.source(path).tree.body
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return found[0] if len(found) == 1 else None


def _moves(function: ast.FunctionDef, given: str, parts: list[ast.expr]) -> Iterator[tuple[ast.Assign, str]]:
    """Statements that move other parts of what a function is given, which it gives back under their names."""
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    for statement in function.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name):
            continue
        whole = {node.id for node in in_rows(statement.value) if isinstance(node, ast.Name)}
        if target.id in names and given in whole and sibling_move.last_move(statement.value):
            yield statement, target.id


def _all_leave_it(facts: Facts, outline: Outline, function: ast.FunctionDef, number: int) -> bool:
    """Whether a part is left behind wherever a function is called."""
    behind = names_left_behind(facts)
    calls = list(told_function.calls(facts, outline, function))
    return bool(calls) and all(call is not None and _named(call, number) in behind for call in calls)


def _named(call: Place, number: int) -> tuple[str, object] | None:
    """Where a part of what a call gives gets its name."""
    statement = call.outline.parents.get(call.node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Tuple) or len(target.elts) <= number:
        return None
    return call.path, call.outline.source.span(target.elts[number])
