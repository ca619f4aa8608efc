"""Unused devices: what a function makes that is told a device, and does nothing with it there, is to be there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
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
            made = _made(facts, place) if place is not None else None
            if made is not None and _is_told_in_vain(facts, made):
                found[made.outline.function_of(made.node) or made.node] = made
        yield from found.values()


def _made(facts: Facts, place: Place) -> Place | None:
    """The value that a statement around a place gives one name, or returns; of an object that the place is given to, the argument."""
    statement = place.outline.statement_of(place.node)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if not isinstance(target, ast.Name) or not decides(place.outline, statement, target):
            return None
        if _names_tensor(facts, place, statement):
            return Place(place.path, place.outline, statement.value)
        return None if place.node is target else Place(place.path, place.outline, _with_methods(place))
    return place if place.node in _returned(statement) else None


def _names_tensor(facts: Facts, place: Place, statement: ast.Assign) -> bool:
    """Whether what a statement names is a tensor each time."""
    span = place.outline.source.span(statement)
    known = facts.bindings(place.path, place.outline.scopes(statement)[0])
    found = known.get(ast.unparse(statement.targets[0]), ())
    return {each.kind for each in found if each.statement == span} == {"tensor"}


def _with_methods(place: Place) -> ast.AST:
    """What the methods make of a value that are called of it at once."""
    node, parents = place.node, place.outline.parents
    while isinstance(call := parents.get(parents.get(node, node)), ast.Call) and isinstance(
        call.func, ast.Attribute
    ):
        if call.func.value is not node:
            break
        node = call
    return node


def _returned(statement: ast.AST) -> list[ast.expr]:
    """What a statement returns, alone or among others."""
    if not isinstance(statement, ast.Return) or statement.value is None:
        return []
    return statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]


def _is_told_in_vain(facts: Facts, place: Place) -> bool:
    return any(all(map(_is_accelerator, bindings)) for _, bindings in _unused(facts, place))


def parameter(facts: Facts, place: Place) -> str | None:
    """The one parameter by which all callers tell the function around a place a device, some of them the accelerator, and in vain."""
    found = [
        name
        for name, bindings in _unused(facts, place)
        if all(each.kind == "device" for each in bindings) and any(map(_is_accelerator, bindings))
    ]
    return found[0] if len(found) == 1 else None


def _is_accelerator(binding: Binding) -> bool:
    return binding.kind == "device" and binding.device is not None and binding.device.is_accelerator


def _unused(facts: Facts, place: Place) -> Iterator[tuple[str, Sequence[Binding]]]:
    """The parameters of the function around a place that it does nothing with, and what they were seen to be."""
    function = place.outline.function_of(place.node)
    if not isinstance(function, _FUNCTIONS):
        return
    bound = facts.bindings(place.path, place.outline.scopes(place.node)[0])
    for name in parameters(function):
        if bound.get(name) and _is_unused(place, function, name):
            yield name, bound[name]


def _is_unused(place: Place, function: ast.AST, name: str) -> bool:
    """Whether nothing is done with a parameter, or nothing but what the other returns of the function do with it.

    A return of what the statement at the place names is none of the others.
    """
    statement = place.outline.statement_of(place.node)
    named = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
    own = {place.outline.statement_of(each) for each in place.outline.occurrences(function, named)}
    reads = [place.outline.statement_of(each) for each in place.outline.occurrences(function, name)]
    return all(isinstance(read, ast.Return) and read is not statement and read not in own for read in reads)
