"""None tests: what a test comes to in the runs in which a name stands for None."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto

from devfix.analysis.text.syntax import in_rows


class Outcome(Enum):
    """What a test comes to where a name is None."""

    TRUE = auto()
    FALSE = auto()
    #: No run gets any further: the test calls a method on what is None.
    FAILS = auto()
    #: Something is asked about the name by other means, which tell None from what is there most often: ``exists(mask)``.
    ASKED = auto()
    #: It is about other things.
    EITHER = auto()


_OPPOSITE = {Outcome.TRUE: Outcome.FALSE, Outcome.FALSE: Outcome.TRUE}
#: What makes no boolean out of its parts, or evaluates none of them here.
_APART = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def when_none(test: ast.expr, name: str) -> Outcome:
    """What a test comes to in the runs in which the name is None, of those that get past it."""
    if isinstance(test, ast.BoolOp):
        return _of_parts(test, name)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        found = when_none(test.operand, name)
        return _OPPOSITE.get(found, found)
    if is_use(test, name):
        return Outcome.FALSE
    if isinstance(test, ast.Compare) and (compared := _compared_with_none(test, name)) is not None:
        return compared
    if fails_for_none(test, name):
        return Outcome.FAILS
    return Outcome.ASKED if _is_handed(test, name) else Outcome.EITHER


def fails_for_none(node: ast.AST, name: str) -> bool:
    """Whether what is always evaluated of a statement, or an expression, asks None for an attribute or an item."""
    return any(
        isinstance(part, (ast.Attribute, ast.Subscript)) and is_use(part.value, name)
        for part in _evaluated(node)
    )


def is_use(node: ast.AST, name: str, context: type[ast.expr_context] = ast.Load) -> bool:
    """Whether a node is a name that is read there, or is in another ``context``."""
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, context)


def _of_parts(test: ast.BoolOp, name: str) -> Outcome:
    """What ``and`` and ``or`` come to: what would fail behind what is about other things is not reached by who gets on."""
    ends, goes_on = Outcome.TRUE, Outcome.FALSE
    if isinstance(test.op, ast.And):
        ends, goes_on = goes_on, ends
    result = goes_on
    for part in test.values:
        found = when_none(part, name)
        if found is ends:
            return ends
        if found is Outcome.FAILS:
            return Outcome.FAILS if result is goes_on else ends
        if found is Outcome.ASKED or result is goes_on:
            result = found
    return result


def _compared_with_none(test: ast.Compare, name: str) -> Outcome | None:
    """What ``mask is None`` and its like come to; None for what is no such comparison."""
    sides = (test.left, *test.comparators)
    empty = [side for side in sides if isinstance(side, ast.Constant) and side.value is None]
    if len(sides) != 2 or len(empty) != 1 or not any(is_use(side, name) for side in sides):
        return None
    is_same = isinstance(test.ops[0], (ast.Is, ast.Eq))
    return Outcome.TRUE if is_same else Outcome.FALSE


def _is_handed(test: ast.expr, name: str) -> bool:
    """Whether a test has the name otherwise than to ask it for what only a value has."""
    of_values = {part.value for part in in_rows(test) if isinstance(part, (ast.Attribute, ast.Subscript))}
    return any(is_use(part, name) and part not in of_values for part in in_rows(test))


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """What is evaluated whenever a node is."""
    yield node
    parts = ast.iter_child_nodes(node)
    if isinstance(node, _APART):
        parts = iter(())
    elif isinstance(node, ast.BoolOp):
        parts = iter(node.values[:1])
    elif isinstance(node, ast.IfExp):
        parts = iter((node.test,))
    for part in parts:
        yield from _evaluated(part)
