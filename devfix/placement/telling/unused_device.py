"""Unused devices: what a function makes that is told a device, and does nothing with it there, is to be there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Origin
from devfix.placement.devices.boundness import decides, parameters
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text.provenance import MADE, STORED

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Where a value may be one that a function names or returns.
_PLACES = (*MADE, *STORED, "result")


def places(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Iterator[Place]:
    """The last value that ``def rows(data, device):`` names or returns, of those that lead to what was left behind.

    Whoever calls it has been told already which device that is, and may hand the result to many others.
    """
    for trail in trails:
        found: dict[ast.AST, Place] = {}
        for site in trail:
            place = place_at(facts, site.path, site.span) if site.kind in _PLACES else None
            made = _made(place) if place is not None else None
            if made is not None and _is_told_in_vain(facts, made):
                found[made.outline.function_of(made.node) or made.node] = made
        yield from found.values()


def _made(place: Place) -> Place | None:
    """The value that a statement around a place gives one name, or returns."""
    statement = place.outline.statement_of(place.node)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        named = isinstance(target, ast.Name) and decides(place.outline, statement, target)
        return Place(place.path, place.outline, statement.value) if named else None
    return place if place.node in _returned(statement) else None


def _returned(statement: ast.AST) -> list[ast.expr]:
    """What a statement returns, alone or among others."""
    if not isinstance(statement, ast.Return) or statement.value is None:
        return []
    return statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]


def _is_told_in_vain(facts: Facts, place: Place) -> bool:
    function = place.outline.function_of(place.node)
    if not isinstance(function, _FUNCTIONS):
        return False
    unused = [name for name in parameters(function) if _is_unused(place, function, name)]
    scope = place.outline.scopes(place.node)[0]
    bound = facts.bindings(place.path, scope)
    return any(
        all(b.kind == "device" and b.device is not None and b.device.is_accelerator for b in bound[name])
        for name in unused
        if bound.get(name)
    )


def _is_unused(place: Place, function: ast.AST, name: str) -> bool:
    """Whether nothing is done with a parameter, or nothing but what the other returns of the function do with it."""
    statement = place.outline.statement_of(place.node)
    reads = [place.outline.statement_of(each) for each in place.outline.occurrences(function, name)]
    return all(isinstance(read, ast.Return) and read is not statement for read in reads)
