"""Asked again: what the parts of a test come to that was evaluated as a whole, without doing once more what they do."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.deciding import answers, correlated
from devfix.analysis.record.apart import apart
from devfix.analysis.text.syntax import remembered, walk

if TYPE_CHECKING:
    from devfix.analysis.domain.values import Value
    from devfix.analysis.interpreter import Interpreter


#: Functions of Python's that change nothing, under the names by which everybody calls them.
_ASKING = frozenset(
    "abs all any bool callable dict divmod float getattr hasattr hash id int isinstance issubclass len list max min "
    "range repr round set sorted str sum super tuple type".split()
)


@remembered
def may_change(node: ast.expr) -> bool:
    """Whether something may not be afterwards what it was before an expression was evaluated."""
    return any(
        not (isinstance(part.func, ast.Name) and part.func.id in _ASKING)
        if isinstance(part, ast.Call)
        else isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
        for part in walk(node)
    )


def value(interp: Interpreter, part: ast.expr) -> Value:
    """What a part comes to; ``queue.pop()`` in it takes nothing more."""
    if not may_change(part):
        return interp.eval(part)
    with apart(interp):
        return interp.eval(part)


def truth(interp: Interpreter, part: ast.expr) -> bool | None:
    """How a part of a test comes out; None where nobody knows."""
    return answers.truth(interp, value(interp, part))


def settled(interp: Interpreter, test: ast.expr) -> bool | None:
    """How a test comes out by what its options were taken to be before, beside what is known."""
    if not isinstance(test, ast.BoolOp):
        return correlated.settled(interp, test)
    decisive = isinstance(test.op, ast.Or)
    known = [correlated.settled(interp, part) for part in test.values]
    if known.count(None) == len(known):
        return None
    outcomes = {
        truth(interp, part) if found is None else found
        for part, found in zip(test.values, known, strict=True)
    }
    return decisive if decisive in outcomes else None if None in outcomes else not decisive
