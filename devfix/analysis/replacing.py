"""Replacing: loops over the places of a list that give each another value.

``for i in range(len(batch)): batch[i] = batch[i].to(device)``: behind it all of them are what the loop stores.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.syntax import called, remembered, spelt, statements_in
from devfix.analysis.values import Const

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Of more places than this not each is followed.
_MOST_PLACES = 12


def places(interp: Interpreter, loop: ast.For | ast.AsyncFor) -> tuple[Const, ...] | None:
    """The places of a list whose items are known, over which a loop goes by their numbers to replace them."""
    replaced = _list_of(loop)
    if replaced is None or not isinstance(loop.target, ast.Name):
        return None
    obj = interp.obj_of(interp.eval(replaced))
    if obj is None or obj.kind != "list" or obj.items is None or obj.element is not None:
        return None
    return tuple(map(Const, range(len(obj.items)))) if len(obj.items) <= _MOST_PLACES else None


def has_its_turn(interp: Interpreter, item: ast.expr | None) -> bool:
    """Whether ``item``, which is given a value, is each place of its list in turn."""
    loops = interp.frame.loops
    loop = loops[-1].node if loops else None
    replaced = _list_of(loop) if loop is not None else None
    return (
        replaced is not None
        and isinstance(item, ast.Subscript)
        and spelt(item.value) == spelt(replaced)
        and isinstance(item.slice, ast.Name)
        and item.slice.id in loops[-1].names
    )


@remembered
def _list_of(loop: ast.For | ast.AsyncFor) -> ast.expr | None:
    """``xs`` of ``for i in range(len(xs))`` and of ``for i, x in enumerate(xs)``, if the loop stores into ``xs[i]``."""
    if isinstance(loop.target, ast.Tuple):
        number, over = loop.target.elts[0], _argument(loop.iter, "enumerate")
    else:
        number, over = loop.target, _argument(_argument(loop.iter, "range"), "len")
    if not isinstance(number, ast.Name) or not isinstance(over, (ast.Name, ast.Attribute)):
        return None
    return over if (spelt(over), number.id) in _stored(loop) else None


def _argument(node: ast.expr | None, function: str) -> ast.expr | None:
    """The one thing that a built-in function is called with; None where it is another call, or none."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or called(node) != function:
        return None
    return node.args[0] if len(node.args) == 1 and not node.keywords else None


def _stored(loop: ast.For | ast.AsyncFor) -> set[tuple[str, str]]:
    """The lists, and the names of the numbers, of the places that a loop's own statements store into."""
    return {
        (spelt(target.value), target.slice.id)
        for part in loop.body
        for statement in statements_in(part)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Name)
    }
