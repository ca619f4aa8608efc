"""Compared switches: ``args.cuda > 0`` asks for ``args.cuda``, where that is a switch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Scalar
from devfix.analysis.text.comparing import COMPARISONS

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def asked(interp: Interpreter, test: ast.expr) -> tuple[ast.expr, bool]:
    """What a test asks that compares a switch with a number or a truth, and whether it asks for the opposite."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return test, False
    compare, limit = COMPARISONS.get(type(test.ops[0])), getattr(test.comparators[0], "value", None)
    if compare is None or not isinstance(limit, (int, float)) or not _is_switch(interp, test.left):
        return test, False
    off, on = compare(False, limit), compare(True, limit)
    return (test.left, off) if off is not on else (test, False)


def _is_switch(interp: Interpreter, part: ast.expr) -> bool:
    if not isinstance(part, (ast.Name, ast.Attribute)):
        return False
    value = interp.eval(part)
    return isinstance(value, Scalar) and value.type == "bool"
