"""Told beside: a value is put where the author told others of its kind to be, in the same call or by the same function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Operand, Origin, SetKeyword
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.siblings.sibling_move import is_placed, last_move
from devfix.placement.text.dependence import dotted

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]
#: How a life begins that a call makes which may be told the device.
_TOLD = ("factory", "random-factory", "numpy")


def ways(facts: Facts, operand: Operand, trails: Sequence[Trail]) -> Iterator[Edits]:
    """The ways to do so, of which the last is for what an operand is computed from."""
    if not facts.program.adopts:
        yield _in_call(facts, operand.trail)
        yield _in_display(facts, operand.trail)
        yield _in_function(facts, trails) if operand.trail not in trails else ()


def _in_call(facts: Facts, trail: Trail) -> Edits:
    """``observe(torch.stack(xs).to(device), torch.tensor(ys, device=device))``: what is computed there for a function."""
    for site, then in pairwise(trail):
        place = (
            place_at(facts, site.path, site.span)
            if (site.kind, then.kind) == ("result", "argument")
            else None
        )
        found = device_expression.chosen(facts, place) if place is not None else None
        call = _call_with(place) if place is not None else None
        if place is None or found is None or found.edits or call is None:
            continue
        others = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(found.code == device_of(other) for other in others if other is not place.node):
            return suffixes.added(facts, place.outline, place.node, f".to({found.code})")
    return ()


def _in_display(facts: Facts, trail: Trail) -> Edits:
    """``h, c = torch.zeros(2, 3).cuda(), torch.zeros(2, 3).cuda()``, where the author moves one of two made alike."""
    place = place_at(facts, trail[0].path, trail[0].span) if trail and trail[0].kind in _TOLD else None
    statement = place.outline.statement_of(place.node) if place is not None else None
    value = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if place is None or not isinstance(value, ast.Tuple) or not isinstance(target, ast.Tuple):
        return ()
    if not isinstance(place.node, ast.Call) or place.node not in value.elts or statement is None:
        return ()
    for name, other in zip(target.elts, value.elts, strict=False):
        suffix = last_move(other)
        made = (
            other.func.value
            if isinstance(other, ast.Call) and isinstance(other.func, ast.Attribute)
            else None
        )
        alike = suffix and isinstance(made, ast.Call) and dotted(made.func) == dotted(place.node.func)
        if alike and isinstance(name, ast.Name) and is_placed(facts, place, statement, name.id):
            return suffixes.as_beside(facts, place.outline, place.node, suffix, statement)
    return ()


def _in_function(facts: Facts, trails: Sequence[Trail]) -> Edits:
    """``torch.as_tensor(reward, device=device)`` in a function that says so of each other ``torch.as_tensor``."""
    ways = [_as_others(facts, trail[0]) for trail in trails if trail]
    return tuple(dict.fromkeys(edit for each in ways for edit in each)) if all(ways) else ()


def _as_others(facts: Facts, made: Origin) -> Edits:
    place = place_at(facts, made.path, made.span) if made.kind in _TOLD else None
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or function is None or not isinstance(place.node, ast.Call):
        return ()
    found = device_expression.chosen(facts, place)
    told = {_told(other) for other in _like(place.node, function)}
    if found is None or found.edits or told != {found.code}:
        return ()
    span = place.outline.source.span(place.node)
    return (FileEdit(place.path, SetKeyword(span, "device", found.code)),)


def _like(call: ast.Call, function: ast.AST) -> Iterator[ast.Call]:
    """The other calls of what a call calls, in its function."""
    name = dotted(call.func)
    for node in in_rows(function):
        if isinstance(node, ast.Call) and node is not call and name and dotted(node.func) == name:
            yield node


def _call_with(place: Place) -> ast.Call | None:
    """The call that an expression is an argument of."""
    parent = place.outline.parents[place.node]
    parent = place.outline.parents[parent] if isinstance(parent, ast.keyword) else parent
    return parent if isinstance(parent, ast.Call) and parent.func is not place.node else None


def device_of(value: ast.expr) -> str:
    """What an expression tells the call that makes it, or moves it to."""
    moved = last_move(value)
    return moved.removeprefix(".to(").removesuffix(")") if moved.startswith(".to(") else _told(value)


def _told(value: ast.expr) -> str:
    told = (
        [keyword.value for keyword in value.keywords if keyword.arg == "device"]
        if isinstance(value, ast.Call)
        else []
    )
    return ast.unparse(told[0]) if told else ""
