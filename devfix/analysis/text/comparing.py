"""Comparing: what the comparisons of two values come to, by their operators."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

#: Equality, and what puts numbers in order.
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
