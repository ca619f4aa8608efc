"""Docstrings: statements that are a text, or another constant, and do nothing."""

from __future__ import annotations

import ast


def is_text(statement: ast.stmt) -> bool:
    """Whether a statement is nothing but a constant, as a docstring or ``...`` is."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
