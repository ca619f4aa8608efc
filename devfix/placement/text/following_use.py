"""The following use of a name: where it stands again, other than to be filled."""

from __future__ import annotations

import ast
import math
from operator import attrgetter

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.torch_model.names import is_in_place
from devfix.placement.text.dependence import dotted


def line_of(outline: Outline, statement: ast.stmt, name: str) -> float:
    """The line behind a statement in which a name stands again, where that does more than fill it."""
    scope = outline.function_of(statement) or outline.source.tree
    end = (statement.end_lineno or 0, statement.end_col_offset or 0)
    behind = [n for n in outline.occurrences(scope, name) if (n.lineno, n.col_offset) >= end]
    behind.sort(key=attrgetter("lineno"))
    return next((n.lineno for n in behind if not _only_fills(outline.statement_of(n), name)), math.inf)


def _only_fills(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is ``name.fill_(...)`` or the like, whose result nobody keeps, or ``name[i] = ...``."""
    if _writes_entries(statement, name):
        return True
    if isinstance(statement, ast.Assign):
        nobody = all(isinstance(target, ast.Name) and target.id == "_" for target in statement.targets)
    else:
        nobody = isinstance(statement, ast.Expr)
    call = statement.value if nobody and isinstance(statement, (ast.Assign, ast.Expr)) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    owner = dotted(call.func.value)
    return owner in (name, f"{name}.data") and is_in_place(call.func.attr)


def _writes_entries(statement: ast.stmt, name: str) -> bool:
    """Whether a statement writes to parts of what a name stands for, and reads nothing of it."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return False
    named = [node for node in in_rows(statement) if isinstance(node, ast.Name) and node.id == name]
    return named == [target.value]
