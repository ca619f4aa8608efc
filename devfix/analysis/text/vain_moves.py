"""Statements that do nothing for good: they move what they go through, one by one, and keep none of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from devfix.analysis.text.scope_names import is_used_after
from devfix.analysis.text.syntax import in_rows, remembered, spelt

_DISPLAYS = (ast.Tuple, ast.List)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Pass)


class Over(NamedTuple):
    """What a loop or a comprehension goes through: the name of each item, what it is in, and the name of its number or key."""

    name: str
    container: ast.expr
    key: ast.Name | None = None
    #: Whether the items are the values of a dict.
    values: bool = False


class VainMove(NamedTuple):
    """What throws the copies away: a move of each item, its statement, the test around that, if any, and whether it does nothing else."""

    over: Over
    statement: ast.Assign | ast.Expr
    call: ast.Call
    test: ast.If | None = None
    alone: bool = True


@remembered
def vain_move(node: ast.stmt) -> VainMove | None:
    """The move of ``for x in batch: x = x.to(device)``, or of ``[x.to(device) for x in batch]`` that nobody takes; None for all else.

    Both leave ``batch`` as it is. It has a name, or is several names side by side: the copies can be given to those.
    """
    if isinstance(node, ast.For):
        return _of_loop(node)
    return _of_comprehension(node) if isinstance(node, ast.Expr) else None


def places_in(display: ast.expr) -> list[ast.expr]:
    """The names and attributes of ``(x, self.y)`` or a list of such; none where it has anything else, or one of them twice."""
    parts = display.elts if isinstance(display, _DISPLAYS) else []
    apart = len({ast.unparse(part) for part in parts}) == len(parts)
    return parts if apart and all(map(_is_place, parts)) else []


def _gone_through(target: ast.expr, iterated: ast.expr) -> Over | None:
    """``x in batch``, ``i, x in enumerate(batch)``, ``x in batch.values()`` and ``k, x in batch.items()``."""
    if isinstance(target, ast.Name):
        if _is_place(iterated) or places_in(iterated):
            return Over(target.id, iterated)
        container = _asked(iterated, "values")
        return Over(target.id, container, values=True) if container is not None else None
    pair = target.elts if isinstance(target, ast.Tuple) else []
    key, item = pair if len(pair) == 2 else (None, None)
    if not isinstance(key, ast.Name) or not isinstance(item, ast.Name) or key.id == item.id:
        return None
    if (container := _asked(iterated, "items")) is not None:
        return Over(item.id, container, key, values=True)
    if not isinstance(iterated, ast.Call) or spelt(iterated.func) != "enumerate":
        return None
    numbered = len(iterated.args) == 1 and not iterated.keywords and _is_place(iterated.args[0])
    return Over(item.id, iterated.args[0], key) if numbered else None


def _of_loop(loop: ast.For) -> VainMove | None:
    over = _gone_through(loop.target, loop.iter)
    if over is None or loop.orelse or (over.key is not None and over.values):
        return None  # the entry that such a key names is told of as it is moved
    if isinstance(test := loop.body[0], ast.If):
        plain = len(loop.body) == len(test.body) == 1 and not test.orelse
        told = over.key is not None and any(node.id == over.key.id for node in _names(test.test))
        move = _moved(test.body[0], over) if plain and not told and not places_in(over.container) else None
        return move and move._replace(test=test)
    if not all(isinstance(each, _SIMPLE) for each in loop.body):
        return None
    moves = [move for each in loop.body if (move := _moved(each, over)) is not None]
    if len(moves) != 1 or is_used_after(loop, moves[0].statement, over.name):
        return None
    alone = len(loop.body) == 1
    if not alone and (places_in(over.container) or _is_disturbed(loop, over, moves[0].statement)):
        return None
    return moves[0]._replace(alone=alone)


def _is_disturbed(loop: ast.For, over: Over, move: ast.stmt) -> bool:
    """Whether something else in a loop gives its variables other values, uses what it goes through, or may yield in the middle of it."""
    told = {over.name} | ({over.key.id} if over.key is not None else set())
    container = ast.dump(over.container)
    others = (node for part in loop.body if part is not move for node in in_rows(part))
    return any(
        isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await))
        or (isinstance(node, ast.Name) and node.id in told and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, (ast.Name, ast.Attribute)) and ast.dump(node) == container)
        for node in others
    )


def _of_comprehension(statement: ast.Expr) -> VainMove | None:
    """A comprehension whose list, or dict with the same keys, nobody takes: it moves all items of one container."""
    made = statement.value
    if not isinstance(made, (ast.ListComp, ast.DictComp)) or len(made.generators) > 1:
        return None
    generator = made.generators[0]
    over = _gone_through(generator.target, generator.iter)
    if over is None or generator.ifs or generator.is_async or places_in(over.container):
        return None
    if isinstance(made, ast.DictComp):
        same = isinstance(made.key, ast.Name) and over.key is not None and made.key.id == over.key.id
        return _call_of(statement, made.value, over) if over.values and same else None
    return _call_of(statement, made.elt, over)


def _asked(node: ast.expr, method: str) -> ast.expr | None:
    """What has a name and is asked for ``.values()``, say, which is given nothing."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return None
    func = node.func
    asked = isinstance(func, ast.Attribute) and func.attr == method and _is_place(func.value)
    return func.value if asked and isinstance(func, ast.Attribute) else None


def _is_place(node: ast.expr) -> bool:
    """Whether an expression is a name, or an attribute of one: ``x``, ``self.x``."""
    return isinstance(node.value if isinstance(node, ast.Attribute) else node, ast.Name)


def _moved(statement: ast.stmt, over: Over) -> VainMove | None:
    """``name = name.method(...)``, or the call alone, where the name is read nowhere else in it."""
    if not isinstance(statement, (ast.Assign, ast.Expr)):
        return None
    bound = statement.targets if isinstance(statement, ast.Assign) else []
    if [ast.unparse(target) for target in bound] not in ([], [over.name]):
        return None
    return _call_of(statement, statement.value, over)


def _call_of(statement: ast.Assign | ast.Expr, call: ast.expr, over: Over) -> VainMove | None:
    if not isinstance(call, ast.Call):
        return None
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    told = {over.name} | ({over.key.id} if over.key is not None else set())
    named = [node for node in _names(call) if node.id in told]
    return VainMove(over, statement, call) if receiver is not None and named == [receiver] else None


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (part for part in in_rows(node) if isinstance(part, ast.Name))
