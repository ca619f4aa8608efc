"""Handed modules: who hands a module to a function that knows no device moves it before that, to where the inputs are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, InsertBefore, Origin
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import DeviceExpression, Place
from devfix.placement.moves.emptied import is_elif
from devfix.placement.telling import told_function
from devfix.placement.text import handed
from devfix.placement.text.dependence import dotted, writes

Edits = tuple[FileEdit, ...]
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
#: The kinds of what is bound that may have no method ``to``.
_IMMOBILE = frozenset({"none", "number", "other"})
#: What does not execute all that is in it.
_CHOICES = (ast.If, ast.Match, ast.Try)


class _Handing(NamedTuple):
    """A statement that hands a module on by its name, and the device that its function knows."""

    path: str
    outline: Outline
    statement: ast.stmt
    name: str
    found: DeviceExpression


def may_be_immobile(facts: Facts, site: Origin) -> bool:
    """Whether what is a parameter at a place, or is kept of one there, is at times nothing, a function or a plain object."""
    outline = facts.outline(site.path)
    function = handed.receiver(outline, site.span) if site.kind == "argument" else None
    kept = outline.expression_at(site.span) if site.kind == "attribute" else None
    statement = function.body[0] if function is not None else kept and outline.statement_of(kept)
    value = statement.value if kept is not None and isinstance(statement, ast.Assign) else None
    name = value.id if isinstance(value, ast.Name) else site.text
    if statement is None:
        return False
    given = facts.bindings(site.path, outline.scope(statement)).get(name, [])
    return any(each.kind in _IMMOBILE for each in given if each.statement is None)


def moved_by_callers(facts: Facts, site: Origin) -> Edits:
    """``self.model.to(x.device)`` before ``best = state_of(self.model)``: who only gets a module does not move it.

    Each call has to name the module, in a function that names a device. What moved once in a function is there below.
    """
    if site.kind != "argument":
        return ()
    outline = facts.outline(site.path)
    function = handed.receiver(outline, site.span)
    if not isinstance(function, ast.FunctionDef) or function.name == "__init__":
        return ()
    if not told_function.can_be_told(facts, outline, function):
        return ()
    calls = told_function.calls(facts, outline, function)
    found = [
        each
        for call in calls
        if call is not None and (each := _handing(facts, outline, function, site, call))
    ]
    if not found or len(found) < len(calls):
        return ()
    first = list(_first(found))
    moves = [FileEdit(each.path, _move(each)) for each in first]
    return tuple(dict.fromkeys([*(edit for each in first for edit in each.found.edits), *moves]))


def _move(handing: _Handing) -> InsertBefore:
    span = handing.outline.source.span(handing.statement)
    return InsertBefore(span, f"{handing.name}.to({handing.found.code})")


def _handing(
    facts: Facts, outline: Outline, function: ast.FunctionDef, site: Origin, call: Place
) -> _Handing | None:
    if not isinstance(call.node, ast.Call):
        return None
    given = handed.argument(outline, function, site.text, call.node)
    name = dotted(given) if given is not None else ""
    if not name:
        return None
    for statement in _statements(call.outline, call.outline.statement_of(call.node), name):
        if isinstance(statement, ast.If) and is_elif(call.outline, statement):
            continue  # before it nothing can stand
        before = Place(call.path, call.outline, statement)
        found = device_expression.chosen(facts, before) or device_expression.find(facts, before, [])
        if found is not None:
            return _Handing(call.path, call.outline, statement, name, found)
    return None


def _statements(outline: Outline, handing: ast.stmt, name: str) -> list[ast.stmt]:
    """Where a module may move that is handed on: before the outermost statement in which it has its name already, or further inside.

    Other cases than the one that hands it on need it to be moved, too.
    """
    found = [handing]
    for around in outline.around(handing):
        if isinstance(around, _SCOPES):
            break
        if not isinstance(around, ast.stmt):
            continue
        if any(name == bound or name.startswith(f"{bound}.") for bound in writes([around])):
            break
        found = [around] if isinstance(around, _CHOICES) else [around, *found]
    return found


def _first(found: Sequence[_Handing]) -> Iterator[_Handing]:
    """The ones that no other of the same module comes before in any case."""
    for each in found:
        if not any(_comes_before(other, each) for other in found if other is not each):
            yield each


def _comes_before(one: _Handing, other: _Handing) -> bool:
    if one.outline is not other.outline or one.name != other.name or one.found != other.found:
        return False
    if one.outline.function_of(one.statement) is not other.outline.function_of(other.statement):
        return False
    block = one.outline.block_of(one.statement)
    inside = next(
        (each for each in (other.statement, *other.outline.around(other.statement)) if each in block), None
    )
    return isinstance(inside, ast.stmt) and block.index(one.statement) < block.index(inside)
