"""Worklists: ``while todo:`` takes one thing after the other until there is none, and is followed thing by thing where all are known."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.deciding import answers
from devfix.analysis.domain.values import NONE, Ref, Value
from devfix.analysis.language import iteration
from devfix.analysis.text.syntax import called, remembered, statements_in, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: So many rounds are followed one by one, and fewer of long ones.
_MOST, _FEWEST = 8, 4
_STATEMENTS = 64
_TAKING = frozenset(("pop", "popleft", "popitem"))
_COMPARED = {ast.Gt: operator.gt, ast.GtE: operator.ge, ast.NotEq: operator.ne}


class _Asked(NamedTuple):
    """What a test asks for: whether there is something, with ``is not`` anything but None, or whether there are ``bound`` many."""

    subject: ast.Name | ast.Attribute
    compare: type[ast.cmpop] | None = None
    bound: int = 0


def rounds(interp: Interpreter, node: ast.While) -> int:
    """How many rounds of a loop may be followed one by one; none where it is no worklist, or in a loop that is not followed so."""
    if _asked(node) is None or not all(loop.exact for frame in interp.stack for loop in frame.loops):
        return 0
    return _MOST if _length(node) * _MOST <= _STATEMENTS else _FEWEST


def goes_on(interp: Interpreter, node: ast.While) -> bool | None:
    """Whether there is something left, where all that is left is known one by one; None where it is not."""
    asked = _asked(node)
    assert asked is not None
    value = interp.eval(asked.subject)
    if asked.compare is not None and asked.compare in _COMPARED:
        count = _count(interp, value)
        return None if count is None else bool(_COMPARED[asked.compare](count, asked.bound))
    if value == NONE:
        return False
    obj = interp.obj_of(value) if isinstance(value, Ref) else None
    if obj is not None and obj.kind == "instance":
        return True if asked.compare is ast.IsNot else answers.truth(interp, value)
    # An empty list is as little None as a full one, and how often such a loop runs its length does not tell.
    count = _count(interp, value) if asked.compare is None else None
    return None if count is None else count > 0


def _count(interp: Interpreter, value: Value) -> int | None:
    obj = interp.obj_of(value)
    known = iteration.exact_items(interp, value) if obj is not None and obj.kind in ("list", "dict") else None
    return None if known is None else len(known)


@remembered
def _length(node: ast.While) -> int:
    return sum(1 for _ in statements_in(node))


@remembered
def _asked(node: ast.While) -> _Asked | None:
    """What the test of a loop asks for, if the body takes from that, or puts another thing in its place."""
    asked = _in_test(node.test)
    if asked is None:
        return None
    text = ast.dump(asked.subject)
    return asked if any(_takes(part, text) for each in node.body for part in walk(each)) else None


def _in_test(test: ast.expr) -> _Asked | None:
    if isinstance(test, (ast.Name, ast.Attribute)):
        return _Asked(test)
    if (subject := _measured(test)) is not None:
        return _Asked(subject)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    kind, bound = type(test.ops[0]), test.comparators[0]
    if not isinstance(bound, ast.Constant):
        return None
    if isinstance(test.left, (ast.Name, ast.Attribute)) and kind is ast.IsNot and bound.value is None:
        return _Asked(test.left, ast.IsNot)
    subject = _measured(test.left)
    if subject is None or kind not in _COMPARED or type(bound.value) is not int:
        return None
    return _Asked(subject, kind, bound.value)


def _measured(node: ast.expr) -> ast.Name | ast.Attribute | None:
    """What ``len`` is asked of."""
    if not isinstance(node, ast.Call) or called(node) != "len" or len(node.args) != 1:
        return None
    subject = node.args[0]
    return subject if isinstance(subject, (ast.Name, ast.Attribute)) else None


def _takes(part: ast.AST, subject: str) -> bool:
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _TAKING:
        return ast.dump(part.func.value) == subject
    stored = isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Store)
    return stored and ast.dump(part).replace("Store()", "Load()") == subject
