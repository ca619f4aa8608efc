"""Handing on: a function that gives back what it is given moves it, where all who call it need that."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import only_return, positional_of
from devfix.analysis.text.syntax import called
from devfix.findings import FileEdit, Origin
from devfix.placement.devices import device_expression, imported_device
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.telling import told_function
from devfix.placement.text import provenance

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]
#: With fewer calls what one of them gives moves where it is.
_FEWEST = 2


def moved(facts: Facts, trails: Iterable[Trail]) -> Edits:
    """``return x.to(device)`` in ``def to_var(x)``, once for all of its calls."""
    for life in trails if not facts.program.adopts else ():
        for outline, function, parameter in _passed(facts, life):
            given = _returned(function, parameter)
            if given is not None and _is_needed(facts, outline, function):
                return _moving(facts, Place(outline.source.path, outline, given))
    return ()


def _passed(facts: Facts, life: Trail) -> Iterator[tuple[Outline, ast.FunctionDef, str]]:
    """The functions that a value went into and came out of, and as what it did, the last one first."""
    for number in range(len(life) - 2, 0, -1):
        site = life[number]
        if site.kind != "argument" or site.path not in facts.program.sources:
            continue
        outline = facts.outline(site.path)
        parameter = next((node for node in outline.nodes_at(site.span) if isinstance(node, ast.arg)), None)
        function = outline.function_of(parameter) if parameter is not None else None
        if not isinstance(function, ast.FunctionDef) or parameter not in positional_of(function):
            continue
        if not _is_within(life[-1], outline, function):
            yield outline, function, parameter.arg


def _is_within(site: Origin, outline: Outline, function: ast.FunctionDef) -> bool:
    last = function.end_lineno or function.lineno
    return site.path == outline.source.path and function.lineno <= site.span.line <= last


def _returned(function: ast.FunctionDef, parameter: str) -> ast.expr | None:
    """What a function gives back at its end, and nowhere else, where that is its parameter, or a ``Variable`` of it."""
    returned = only_return(function)
    given = returned.value if returned is not None and returned is function.body[-1] else None
    value = given
    if isinstance(value, ast.Call) and called(value) == "Variable" and value.args:
        value = value.args[0]
    return given if isinstance(value, ast.Name) and value.id == parameter else None


def _is_needed(facts: Facts, outline: Outline, function: ast.FunctionDef) -> bool:
    """Whether what each call gives back meets what is on the accelerator."""
    calls = list(told_function.calls(facts, outline, function))
    if len(calls) < _FEWEST or None in calls:
        return False
    missed = [
        life
        for life in provenance.left_behind(facts)
        if any(_is_parameter(site, outline, function) for site in life)
    ]
    return all(_is_touched(call, missed) for call in calls if call is not None)


def _is_parameter(site: Origin, outline: Outline, function: ast.FunctionDef) -> bool:
    return site.kind == "argument" and _is_within(site, outline, function)


def _is_touched(call: Place, lives: list[Trail]) -> bool:
    """Whether a value that was misplaced is seen in the statement of a call."""
    statement = call.outline.statement_of(call.node)
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    return any(site.path == call.path and first <= site.span.line <= last for life in lives for site in life)


def _moving(facts: Facts, place: Place) -> Edits:
    found = device_expression.find(facts, place, []) or imported_device.or_own(facts, place)
    if found is None:
        return ()
    moved = suffixes.added(facts, place.outline, place.node, f".to({found.code})")
    return (*found.edits, *moved) if moved else ()
