"""First rounds: what a loop's counter is there decides which branch fills what was only a place before the loop.

``out = torch.zeros(1)``, and then ``for i, x in enumerate(xs): if i == 0: out = x``: no round meets the zeros.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Tensor
from devfix.analysis.text.comparing import COMPARISONS
from devfix.analysis.text.scope_names import binds, own_nodes, targets
from devfix.analysis.text.syntax import called, remembered, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def decide(interp: Interpreter, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool | None:
    """How a test of the counter comes out in the first round, if that puts something in the place of a tensor on the CPU."""
    loop = interp.frame.loops[-1] if interp.frame.loops else None
    if loop is None or not loop.is_first or loop.node is None:
        return None
    counter = _counter(loop.node)
    answer = _answer(test, *counter) if counter is not None else None
    if answer is None:
        return None
    return answer if any(_fills(interp, part) for part in (body if answer else orelse)) else None


def _fills(interp: Interpreter, statement: ast.stmt) -> bool:
    """Whether a statement gives another value to a name that stands for a tensor on the CPU."""
    if not isinstance(statement, ast.Assign):
        return False
    names = {name for target in statement.targets for name in targets(target)}
    if any(isinstance(part, ast.Name) and part.id in names for part in walk(statement.value)):
        return False
    held = (interp.state.get(interp.frame.id, name) for name in names)
    return any(isinstance(value, Tensor) and value.device.kind == "cpu" for value in held)


@remembered
def _counter(loop: ast.For | ast.AsyncFor) -> tuple[str, int] | None:
    """The name of what counts a loop's rounds, and the first number: of ``range(n)`` and of ``enumerate(xs)``.

    None where the body gives that name something else: a test below that does not ask for the round.
    """
    call, target = loop.iter, loop.target
    if not isinstance(call, ast.Call) or call.keywords or not isinstance(call.func, ast.Name):
        return None
    if called(call) == "enumerate" and isinstance(target, ast.Tuple) and target.elts:
        target, starts = target.elts[0], call.args[1:2]
    elif called(call) == "range" and len(call.args) < 3:
        starts = call.args[:-1]
    else:
        return None
    start = starts[0] if starts else ast.Constant(0)
    if (
        not isinstance(target, ast.Name)
        or not isinstance(start, ast.Constant)
        or not isinstance(start.value, int)
    ):
        return None
    if any(target.id in binds(node) for node in own_nodes(loop.body)):
        return None
    return target.id, start.value


def _answer(test: ast.expr, counter: str, first: int) -> bool | None:
    """How a test comes out of which nothing but the counter and numbers are parts."""
    if not any(isinstance(part, ast.Name) for part in walk(test)):
        return None
    value = _value(test, counter, first)
    return None if value is None else bool(value)


def _value(node: ast.expr, counter: str, first: int) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ast.Name):
        return first if node.id == counter else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        value = _value(node.operand, counter, first)
        return None if value is None else not value
    pair = _pair(node)
    if pair is None:
        return None
    operation, left, right = pair
    one, other = _value(left, counter, first), _value(right, counter, first)
    if one is None or other is None or (operation is operator.mod and not other):
        return None
    return operation(one, other)


def _pair(node: ast.expr) -> tuple[Callable[[int, int], int], ast.expr, ast.expr] | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return operator.mod, node.left, node.right
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        return COMPARISONS[type(node.ops[0])], node.left, node.comparators[0]
    return None
