"""Discarded moves: binding the result of ``x.to(device)`` to ``x``."""

from __future__ import annotations

import ast

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.analysis.syntax import entry_of_items
from devfix.findings import Applicability, BindResult, FileEdit, Fix, Origin


def binding_fix(facts: Facts, move: Origin) -> Fix | None:
    """Makes the statement at ``move`` an assignment to what is moved."""
    if move.path not in facts.program.sources:
        return None
    outline = facts.outline(move.path)
    statement = outline.statement_at(move.span)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if statement is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    receiver = _kept_as(outline, statement, call.func.value)
    edit = BindResult(outline.source.span(statement), receiver)
    return Fix(f"bind the result to `{receiver}`", (FileEdit(move.path, edit),), Applicability.SAFE)


def _kept_as(outline: Outline, statement: ast.stmt, receiver: ast.expr) -> str:
    """What keeps the tensor: what it is called, or the entry of the dict that a loop goes through."""
    text = outline.source.segment(outline.source.span(receiver))
    current: ast.AST | None = statement
    while isinstance(receiver, ast.Name) and current is not None:
        entry = entry_of_items(current, receiver.id)
        if entry is not None:
            return f"{outline.source.segment(outline.source.span(entry[0]))}[{entry[1].id}]"
        current = outline.parents.get(current)
    return text
