"""Assigned states: a module that takes over the tensors of a state on the CPU goes back to where it was."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter, InsertBefore, Origin
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.text.dependence import dotted

_NAME = "device"


def moved_back(facts: Facts, trail: tuple[Origin, ...]) -> tuple[FileEdit, ...]:
    """``net.to(device)`` after ``net.load_state_dict(state, assign=True)``; where no device is in sight, that of ``net`` before."""
    site = next((each for each in trail if each.kind == "assigned"), None)
    place = device_expression.place_at(facts, site.path, site.span) if site is not None else None
    receiver = _receiver(place) if place is not None else None
    if place is None or receiver is None:
        return ()
    outline = place.outline
    statement = outline.statement_of(place.node)
    span = outline.source.span(statement)
    found = device_expression.chosen(facts, place)
    if found is not None:
        return (*found.edits, FileEdit(place.path, InsertAfter(span, f"{receiver}.to({found.code})")))
    around = outline.function_of(statement) or outline.source.tree
    if outline.occurrences(around, _NAME) or any(
        part.arg == _NAME for part in in_rows(around) if isinstance(part, ast.arg)
    ):
        return ()
    before = FileEdit(place.path, InsertBefore(span, f"{_NAME} = next({receiver}.parameters()).device"))
    return before, FileEdit(place.path, InsertAfter(span, f"{receiver}.to({_NAME})"))


def _receiver(place: Place) -> str | None:
    """The name of what takes over a state in a statement of its own."""
    call = place.node
    statement = place.outline.statement_of(call)
    plain = isinstance(statement, (ast.Expr, ast.Assign)) and statement.value is call
    method = call.func if isinstance(call, ast.Call) and plain else None
    return dotted(method.value) if isinstance(method, ast.Attribute) else None
