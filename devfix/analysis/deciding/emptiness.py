"""Emptiness: tests of the kind ``len(x) == 0``, which ask of a collection what ``not x`` does."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.deciding import answers
from devfix.analysis.domain.values import Value
from devfix.analysis.text.syntax import remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Comparisons of a length with a number that are true of the empty collection alone, and those that are false of it alone.
_EMPTY = frozenset({(ast.Eq, 0), (ast.LtE, 0), (ast.Lt, 1)})
_FILLED = frozenset({(ast.NotEq, 0), (ast.Gt, 0), (ast.GtE, 1)})


def answer(interp: Interpreter, test: ast.Compare, otherwise: Value) -> Value:
    """What the test comes to where it is known whether the collection is empty."""
    asked = _asked(test) if test.left.__class__ is ast.Call else None
    if asked is None:
        return otherwise
    collection, is_empty = asked
    known = answers.truth(interp, interp.eval(collection))
    return otherwise if known is None else answers.boolean(known is not is_empty)


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
