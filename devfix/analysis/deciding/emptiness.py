"""Emptiness: tests of the kind ``len(x) == 0``, which ask of a collection what ``not x`` does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.deciding import answers
from devfix.analysis.deciding.refilling import ADDING
from devfix.analysis.domain.values import Const, Value
from devfix.analysis.text.comparing import COMPARISONS
from devfix.analysis.text.syntax import called, remembered, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Comparisons of a length with a number that are true of the empty collection alone, and those that are false of it alone.
_EMPTY = frozenset({(ast.Eq, 0), (ast.LtE, 0), (ast.Lt, 1)})
_FILLED = frozenset({(ast.NotEq, 0), (ast.Gt, 0), (ast.GtE, 1)})


def answer(interp: Interpreter, test: ast.Compare, otherwise: Value) -> Value:
    """What the test comes to where it is known whether the collection is empty."""
    asked = _asked(test) if test.left.__class__ is ast.Call else None
    if asked is None:
        return _before_it_is_filled(interp, test, otherwise)
    collection, is_empty = asked
    known = answers.truth(interp, interp.eval(collection))
    return otherwise if known is None else answers.boolean(known is not is_empty)


def _before_it_is_filled(interp: Interpreter, test: ast.Compare, otherwise: Value) -> Value:
    """What ``len(window) == size`` comes to in the first round of the loop that fills the window: it has nothing yet."""
    loop = interp.frame.loops[-1] if interp.frame.loops else None
    if loop is None or not loop.is_first or loop.node is None:
        return otherwise
    collection = _measured(test) if test.left.__class__ is ast.Call else None
    if collection is None or collection.id not in _filled(loop.node):
        return otherwise
    size, compared = interp.eval(test.comparators[0]), COMPARISONS.get(test.ops[0].__class__)
    number = size.value if isinstance(size, Const) else None
    if compared is None or not isinstance(number, int) or number < 1:
        return otherwise
    is_empty = answers.truth(interp, interp.eval(collection)) is False
    return answers.boolean(compared(0, number)) if is_empty else otherwise


@remembered
def _measured(test: ast.Compare) -> ast.Name | None:
    """The ``x`` of ``len(x) == size``; None for another test."""
    length = test.left
    if len(test.ops) != 1 or not isinstance(length, ast.Call) or called(length) != "len":
        return None
    asked = length.args[0] if len(length.args) == 1 else None
    return asked if isinstance(asked, ast.Name) else None


@remembered
def _filled(loop: ast.For | ast.AsyncFor) -> frozenset[str]:
    """The names of what a loop adds to."""
    calls = (node.func for part in loop.body for node in walk(part) if isinstance(node, ast.Call))
    added = (each.value for each in calls if isinstance(each, ast.Attribute) and each.attr in ADDING)
    return frozenset(each.id for each in added if isinstance(each, ast.Name))


@remembered
def _asked(test: ast.Compare) -> tuple[ast.expr, bool] | None:
    """The ``x`` of ``len(x) == 0``, and whether the test is true of an empty one; None for another test."""
    length, number = test.left, test.comparators[0]
    if len(test.ops) != 1 or not isinstance(number, ast.Constant) or not isinstance(length, ast.Call):
        return None
    if not isinstance(length.func, ast.Name) or length.func.id != "len" or len(length.args) != 1:
        return None
    if not isinstance(length.args[0], (ast.Name, ast.Attribute)):
        return None
    kind = (test.ops[0].__class__, number.value)
    return (length.args[0], kind in _EMPTY) if kind in _EMPTY | _FILLED else None
