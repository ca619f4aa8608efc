"""Lent modules: what a function takes back to the CPU when it is done goes to the accelerator before it is used there."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.domain.lattice import parse_device
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Applicability, FileEdit, Fix, InsertBefore, Operand
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text.dependence import dotted

_MOVES = ("to", "cuda", "cpu")


def fix(facts: Facts, operand: Operand, peers: Iterable[Operand]) -> Fix | None:
    """``self.model.to(self.device)`` in the function that moves the input, and ends with ``self.model.to("cpu")``."""
    lives = [life for peer in peers for life in (peer.trail, *peer.roots)] if operand.role == "weight" else []
    for site in (site for life in lives for site in life if site.kind == "move"):
        place = place_at(facts, site.path, site.span)
        function = place.outline.function_of(place.node) if place is not None else None
        if place is None or not isinstance(function, ast.FunctionDef):
            continue
        name, first = _lent(function.body)
        if first is None:
            continue
        found = device_expression.chosen(facts, Place(place.path, place.outline, first))
        if found is not None:
            span = place.outline.source.span(first)
            edit = FileEdit(place.path, InsertBefore(span, f"{name}.to({found.code})"))
            return Fix(f"move `{name}` before it is used", (*found.edits, edit), Applicability.SAFE)
    return None


def _lent(body: list[ast.stmt]) -> tuple[str, ast.stmt | None]:
    """What a function calls, then takes to the CPU, and moved nowhere before; and the statement that first does something with it."""
    for number, statement in enumerate(body):
        name = _taken_back(statement)
        before = (
            [part for each in body[:number] for part in in_rows(each) if isinstance(part, ast.expr)]
            if name
            else []
        )
        methods = {
            part.attr for part in before if isinstance(part, ast.Attribute) and dotted(part.value) == name
        }
        called = any(isinstance(part, ast.Call) and dotted(part.func) == name for part in before)
        if name and called and methods.isdisjoint(_MOVES):
            return name, next(each for each in body if any(dotted(part) == name for part in in_rows(each)))
    return "", None


def _taken_back(statement: ast.stmt) -> str:
    """``net`` of ``net.cpu()`` and ``net.to("cpu")`` as statements."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        return ""
    given = call.args[0] if len(call.args) == 1 else None
    device = given.value if isinstance(given, ast.Constant) else None
    to_host = call.func.attr == "to" and isinstance(device, str) and parse_device(device).kind == "cpu"
    if not (to_host or (call.func.attr == "cpu" and not call.args)):
        return ""
    return dotted(call.func.value) or ""
