"""Discarded moves: binding the result of ``x.to(device)`` to ``x``."""

from __future__ import annotations

import ast

from devfix.analysis.facts import Facts
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
    receiver = outline.source.segment(outline.source.span(call.func.value))
    edit = BindResult(outline.source.span(statement), receiver)
    return Fix(f"bind the result to `{receiver}`", (FileEdit(move.path, edit),), Applicability.SAFE)
