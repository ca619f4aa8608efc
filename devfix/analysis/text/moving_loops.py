"""Loops that do nothing but move what they go through, one by one, and keep none of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from devfix.analysis.text.scope_names import own_nodes, parameters_of, targets
from devfix.analysis.text.syntax import in_rows, remembered
from devfix.origin_kinds import IN_LIST, OF_LOOPS

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
Way = Literal["anew", "in place"]
_DISPLAYS = (ast.Tuple, ast.List)
_LOOPS = (ast.For, ast.AsyncFor)
#: What gives a name a list that nobody else has.
_NEW = (ast.List, ast.ListComp)


class VainMove(NamedTuple):
    """What such a loop does in each round: the move, its statement, and the test around that, if any."""

    statement: ast.Assign | ast.Expr
    call: ast.Call
    test: ast.If | None


@remembered
def vain_move(loop: ast.For) -> VainMove | None:
    """The move of ``for x in batch: x = x.to(device)``, which leaves ``batch`` as it is; None for any other loop.

    What it goes through has a name, or is several names side by side: the copies can be given to those.
    """
    if not isinstance(loop.target, ast.Name) or loop.orelse:
        return None
    test = loop.body[0] if isinstance(loop.body[0], ast.If) else None
    body = loop.body if test is None else test.body
    if len(loop.body) > 1 or len(body) > 1 or (test is not None and test.orelse):
        return None
    named = _is_place(loop.iter) or (test is None and bool(places_in(loop.iter)))
    return _of_variable(body[0], loop.target.id, test) if named else None


def places_in(display: ast.expr) -> list[ast.expr]:
    """The names and attributes of ``(x, self.y)`` or a list of such; none where it has anything else, or one of them twice."""
    parts = display.elts if isinstance(display, _DISPLAYS) else []
    apart = len({ast.unparse(part) for part in parts}) == len(parts)
    return parts if apart and all(map(_is_place, parts)) else []


def way_to_keep(scope: Scope, loop: ast.For, kind: str) -> Way | None:
    """How the copies are kept that a loop makes of what is in a list, a tuple or names side by side.

    What it goes through is given a value anew, or a list gets them in the place of what it has. A parameter may be another kind of
    container in other calls, and the variable of the loop may be read elsewhere: then there may be no way. What is in the body of
    a class sees less of it.
    """
    return _ways(scope).get((loop, kind))


@remembered
def _ways(scope: Scope) -> dict[tuple[ast.For, str], Way | None]:
    """The ways of all loops of a scope that move in vain: a run goes by them, and they depend on all of the scope."""
    loops = [node for node in _own(scope) if isinstance(node, ast.For) and vain_move(node) is not None]
    return {(loop, kind): _way(scope, loop, kind) for loop in loops for kind in OF_LOOPS}


def _way(scope: Scope, loop: ast.For, kind: str) -> Way | None:
    if _is_read_elsewhere(scope, loop):
        return None
    if display := places_in(loop.iter):
        return "anew" if all(_is_variable(scope, place) for place in display) else None
    if _is_parameter(scope, loop.iter):
        return "anew" if _is_taken_apart(scope, loop) else None
    if kind == IN_LIST:
        return "anew" if _is_new_list(scope, loop) else "in place"
    return "anew" if _is_variable(scope, loop.iter) else None


def _is_read_elsewhere(scope: Scope, loop: ast.For) -> bool:
    """Whether a scope reads, or deletes, the variable of one of its loops where neither that nor another one gives it its value."""
    name = ast.unparse(loop.target)
    return any(node.id == name and not isinstance(node.ctx, ast.Store) for node in _outside(scope, name))


def _is_variable(scope: Scope, place: ast.expr) -> bool:
    """Whether a scope gives a place values anyway, or it is an attribute: else a name of the file would become one of a function."""
    if isinstance(place, ast.Attribute) or isinstance(scope, ast.Module):
        return True
    own = isinstance(place, ast.Name) and any(place.id in targets(node) for node in _own(scope))
    return own or _is_parameter(scope, place)


def _is_taken_apart(scope: Scope, loop: ast.For) -> bool:
    """Whether all that a scope does with a container behind a loop suits lists and tuples: it takes items of it, or gives it back."""
    name, uses = ast.unparse(loop.iter), 0
    for node in _behind(scope, loop):
        if isinstance(node, ast.Name) and node.id == name:
            uses += 1
        elif ast.unparse(_taken_from(node) or node) == name:
            uses -= 1
    return uses == 0 and any(isinstance(node, ast.Name) and node.id == name for node in _behind(scope, loop))


def _taken_from(node: ast.AST) -> ast.expr | None:
    """What a node takes items of, or gives back."""
    if isinstance(node, ast.Assign) and all(isinstance(target, ast.Tuple) for target in node.targets):
        return node.value
    if isinstance(node, (*_LOOPS, ast.comprehension)):
        return node.iter
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return None
    return node.value if isinstance(node, (ast.Subscript, ast.Return, ast.Starred)) else None


def _is_new_list(scope: Scope, loop: ast.For) -> bool:
    """Whether nobody else has the list that a loop goes through: it is made in the scope, or taken out of something by another loop.

    The scope reads it behind the loop.
    """
    name = ast.unparse(loop.iter)
    bound = [
        node for node in _own(scope) if isinstance(node, (ast.stmt, ast.NamedExpr)) and name in _bound(node)
    ]
    read = any(isinstance(node, ast.Name) and node.id == name for node in _behind(scope, loop))
    return read and bool(bound) and all(map(_is_new, bound))


def _behind(scope: Scope, loop: ast.For) -> Iterator[ast.AST]:
    """What stands further down in a scope than a loop."""
    end = (loop.end_lineno or 0, loop.end_col_offset or 0)
    for node in _own(scope):
        placed = node.iter if isinstance(node, ast.comprehension) else node
        if (getattr(placed, "lineno", 0), getattr(placed, "col_offset", 0)) > end:
            yield node


def _is_place(node: ast.expr) -> bool:
    """Whether an expression is a name, or an attribute of one: ``x``, ``self.x``."""
    return isinstance(node.value if isinstance(node, ast.Attribute) else node, ast.Name)


def _own(scope: Scope) -> Iterator[ast.AST]:
    return own_nodes([scope.body] if isinstance(scope, ast.Lambda) else scope.body)


def _is_parameter(scope: Scope, place: ast.expr) -> bool:
    return isinstance(place, ast.Name) and any(each.arg == place.id for each in parameters_of(scope))


def _bound(node: ast.stmt | ast.NamedExpr) -> frozenset[str]:
    """The names that a statement, without what it has in it, gives values."""
    if isinstance(node, ast.Assign):
        return frozenset[str]().union(*map(targets, node.targets))
    target = getattr(node, "target", None)
    return targets(target) if target is not None else frozenset()


def _is_new(node: ast.stmt | ast.NamedExpr) -> bool:
    """Whether what gives a name a value makes that, or takes it out of something that gives one after another."""
    return isinstance(node, _LOOPS) or (isinstance(node, ast.Assign) and isinstance(node.value, _NEW))


def _of_variable(statement: ast.stmt, name: str, test: ast.If | None) -> VainMove | None:
    """``name = name.method(...)``, or the call alone, where the name is read nowhere else in it."""
    if not isinstance(statement, (ast.Assign, ast.Expr)) or not isinstance(statement.value, ast.Call):
        return None
    call, bound = statement.value, statement.targets if isinstance(statement, ast.Assign) else []
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    named = [node for node in in_rows(call) if isinstance(node, ast.Name) and node.id == name]
    if named != [receiver] or [ast.unparse(target) for target in bound] not in ([], [name]):
        return None
    return VainMove(statement, call, test)


def _outside(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """The names in a node without the bodies of loops, and without comprehensions, that give ``name`` a value."""
    if isinstance(node, ast.Name):
        yield node
    for part in ast.iter_child_nodes(node):
        loops = [part] if isinstance(part, _LOOPS) else getattr(part, "generators", [])
        if not any(ast.unparse(loop.target) == name for loop in loops):
            yield from _outside(part, name)
