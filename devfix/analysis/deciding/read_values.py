"""Read values: tests of whether something was read, ``if model is None:``, where there need not have been a file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.state import is_loaded
from devfix.analysis.domain.values import NONE, Ref, Union, Value, without_none
from devfix.analysis.nn.modules import is_module
from devfix.analysis.text.syntax import concerns_file

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


def may_be_missing(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test asks if there is a file to read, or was one."""
    return concerns_file(test) or are_asked_for(interp, test)


def made_instead(interp: Interpreter, values: list[Value]) -> Value | None:
    """Of two values the model that the program makes where there is none to be read, which tells what is read elsewhere."""
    read = [value for value in values if is_loaded(interp.state, without_none(value))]
    made = [value for value in values if value not in read]
    return made[0] if len(read) == len(made) == 1 and is_module(interp, made[0]) else None
