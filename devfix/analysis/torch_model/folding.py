"""Folding: operators on Python's own values that are known."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from devfix.analysis.values import UNKNOWN, Const, Scalar, Value

_PYTHON: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def folded(op: ast.operator, left: Const, right: Const) -> Value:
    """``left op right``, as Python works it out."""
    a, b = left.value, right.value
    fold = _PYTHON.get(type(op))
    plain = (int, float)
    strings = isinstance(op, ast.Add) and isinstance(a, str) and isinstance(b, str)
    if fold is None or not (strings or (isinstance(a, plain) and isinstance(b, plain))):
        return Scalar("float") if isinstance(a, plain) and isinstance(b, plain) else UNKNOWN
    try:
        return Const(fold(a, b))
    except (ArithmeticError, ValueError):
        return Scalar("float")
