"""In turn: what one run makes in some rounds of a loop and not in others, by what the loop counts.

``noise = torch.randn(size) if step > 1 else 0`` is a tensor on the CPU in all rounds but the last.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.domain.values import Const, Tensor, Value
from devfix.analysis.text.scope_names import targets
from devfix.analysis.text.syntax import names_in, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_COMPARING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def chooses_in_turn(interp: Interpreter, node: ast.IfExp, body: Value, orelse: Value) -> bool:
    """Whether a run has either part of ``this if test else that``, of which one is made there and stays on the CPU."""
    made = any(_is_made_in(interp, part, value) for part, value in ((node.body, body), (node.orelse, orelse)))
    statement = interp.frame.statement
    bound = _bound_by(statement) if isinstance(statement, ast.Assign) and statement.value is node else set()
    return made and _counts(interp, node, bound)


def binds_in_turn(interp: Interpreter, node: ast.If, pairs: Iterable[tuple[str, Value, Value]]) -> bool:
    """Whether a run takes either branch of a test, and each makes anew what they leave on two devices.

    ``pairs`` is what the branches leave under each name. What a round finds that another one left is none of that.
    """
    if not _asked(interp, node.test):
        return False
    bound = _bound_in(node.body) & _bound_in(node.orelse)
    if not bound or not _counts(interp, node, bound):
        return False
    pairs = list(pairs)
    if any(map(_tells_apart, pairs)):
        return False
    return all(
        name in bound and _is_made_in(interp, node, one)
        for name, *both in pairs
        for one, other in (both, both[::-1])
        if _is_on_host(one) and not _is_on_host(other)
    )


def _counts(interp: Interpreter, node: ast.If | ast.IfExp, bound: set[str]) -> bool:
    """Whether a test compares what a loop counts with a number, and nothing else that asks for the count has to do with what is bound."""
    asked = _asked(interp, node.test)
    return any(
        not any(
            asked & names_in(other.test) and bound & names_in(other)
            for other in walk(loop.node)
            if isinstance(other, (ast.If, ast.IfExp)) and other is not node
        )
        for loop in interp.frame.loops
        if loop.node is not None and asked & loop.names
    )


def _asked(interp: Interpreter, test: ast.expr) -> frozenset[str]:
    """The counter that a test compares with a number that is written there: ``step`` of ``step > 1``; none for any other test."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], _COMPARING):
        return frozenset()
    parts = [test.left, test.comparators[0]]
    if not any(isinstance(each, ast.Constant) and type(each.value) is int for each in parts):
        return frozenset()
    parts = [each.left if _is_remainder(each) else each for each in parts]
    names = frozenset(each.id for each in parts if isinstance(each, ast.Name))
    return names & frozenset().union(*(loop.names for loop in interp.frame.loops))


def _tells_apart(pair: tuple[str, Value, Value]) -> bool:
    """Whether a variable is one text or truth behind the one branch and another behind the other, by which a later test may go."""
    return all(isinstance(each, Const) and isinstance(each.value, (str, bool)) for each in pair[1:])


def _is_remainder(part: ast.expr) -> TypeGuard[ast.BinOp]:
    return isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod)


def _is_on_host(value: Value) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.device.kind == "cpu"


def _is_made_in(interp: Interpreter, part: ast.AST, value: Value) -> bool:
    """Whether a tensor is on the CPU and made within a part of the program, of nothing that was there before."""
    if not _is_on_host(value):
        return False
    span, path = interp.source.span(part), interp.frame.path
    first = [trail[0] for trail in (value.trail, *value.roots) if trail]
    return bool(first) and all(each.path == path and span.contains(each.span) for each in first)


def _bound_in(branch: list[ast.stmt]) -> set[str]:
    """The names that a branch binds whatever happens in it."""
    return set().union(*(_bound_by(each) for each in branch if isinstance(each, ast.Assign)))


def _bound_by(statement: ast.Assign) -> set[str]:
    return set().union(*map(targets, statement.targets))
