"""Read values: tests of whether something was read, ``if model is None:``, where there need not have been a file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.state import is_loaded
from devfix.analysis.domain.values import NONE, Ref, Union

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def are_asked_for(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test asks if there was a file, by a variable that holds what came out of it, or None."""
    if isinstance(test, ast.BoolOp):
        return any(are_asked_for(interp, value) for value in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        test = test.left
    value = interp.lookup(test.id) if isinstance(test, ast.Name) else None
    if not isinstance(value, Union) or NONE not in value.members:
        return False
    return any(isinstance(each, Ref) and is_loaded(interp.state, each) for each in value.members)
