"""Unused devices: what a function makes that is told a device, and does nothing with it, is to be there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import Origin
from devfix.placement.boundness import decides, parameters
from devfix.placement.device_expression import Place, place_at
from devfix.placement.provenance import STORED

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def places(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Iterator[Place]:
    """The last value that ``def rows(data, device):`` names or returns, of those that lead to what was left behind.

    Whoever calls it has been told already which device that is, and may hand the result to many others.
    """
    for trail in trails:
        found: dict[ast.AST, Place] = {}
        for site in trail:
            place = place_at(facts, site.path, site.span) if site.kind in (*STORED, "result") else None
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
    if isinstance(statement, ast.Return) and statement.value is place.node:
        return place
    return None


def _is_told_in_vain(facts: Facts, place: Place) -> bool:
    function = place.outline.function_of(place.node)
    if not isinstance(function, _FUNCTIONS):
        return False
    unused = [name for name in parameters(function) if not _is_read(place.outline, function, name)]
    scope = place.outline.scopes(place.node)[0]
    bound = facts.bindings(place.path, scope)
    return any(
        all(b.kind == "device" and b.device is not None and b.device.is_accelerator for b in bound[name])
        for name in unused
        if bound.get(name)
    )


def _is_read(outline: Outline, function: ast.AST, name: str) -> bool:
    return bool(outline.occurrences(function, name))
