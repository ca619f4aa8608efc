"""How the copies are kept that a loop or a comprehension makes of what it goes through, one by one, and throws away."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from devfix.analysis.text.scope_names import own_nodes, parameters_of, targets
from devfix.analysis.text.syntax import remembered
from devfix.analysis.text.vain_moves import VainMove, places_in, vain_move
from devfix.origin_kinds import IN_DICT, IN_LIST, OF_LOOPS

Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
Way = Literal["anew", "in place"]
_LOOPS = (ast.For, ast.AsyncFor)
#: What gives a name a list or a dict that nobody else has.
_NEW = (ast.List, ast.ListComp, ast.Dict, ast.DictComp)


def way_to_keep(scope: Scope, node: ast.stmt, kind: str) -> Way | None:
    """How the copies are kept that a statement makes of what is in a list, a dict, a tuple or names side by side.

    What it goes through is given a value anew, or it gets them in the place of what it has. A parameter may be another kind of
    container in other calls, and the variable of a loop may be read elsewhere: then there may be no way. What is in the body of
    a class sees less of it.
    """
    return _ways(scope).get((node, kind))


@remembered
def _ways(scope: Scope) -> dict[tuple[ast.stmt, str], Way | None]:
    """The ways of all statements of a scope that move in vain: a run goes by them, and they depend on all of the scope."""
    statements = (node for node in _own(scope) if isinstance(node, (ast.For, ast.Expr)))
    moves = [(node, move) for node in statements if (move := vain_move(node)) is not None]
    return {(node, kind): _way(scope, node, move, kind) for node, move in moves for kind in OF_LOOPS}


def _way(scope: Scope, node: ast.stmt, move: VainMove, kind: str) -> Way | None:
    if isinstance(node, ast.For) and _is_read_elsewhere(scope, node):
        return None
    container, way = move.over.container, _way_of_all(scope, node, move, kind)
    if way == "anew" and kind in (IN_LIST, IN_DICT) and not _is_parameter(scope, container):
        # A loop that has the number or the key of each item, or does more than move it, stays.
        return "in place" if isinstance(node, ast.For) and (move.over.key or not move.alone) else way
    return way if way == "in place" or move.alone else None


def _way_of_all(scope: Scope, node: ast.stmt, move: VainMove, kind: str) -> Way | None:
    """How the copies are kept where a statement does nothing else."""
    container = move.over.container
    if display := places_in(container):
        return "anew" if all(_is_variable(scope, place) for place in display) else None
    if kind == IN_DICT:
        is_new = not isinstance(node, ast.For) and _is_new_container(scope, node, container)
        return "anew" if is_new and not _is_parameter(scope, container) else "in place"
    if _is_parameter(scope, container):
        return "anew" if _is_taken_apart(scope, node, container) else None
    if kind == IN_LIST:
        return "anew" if _is_new_container(scope, node, container) else "in place"
    return "anew" if _is_variable(scope, container) else None


def _is_read_elsewhere(scope: Scope, loop: ast.For) -> bool:
    """Whether a scope reads, or deletes, a variable of one of its loops where neither that nor another one gives it its value."""
    return any(
        node.id == name and not isinstance(node.ctx, ast.Store)
        for name in targets(loop.target)
        for node in _outside(scope, name)
    )


def _is_variable(scope: Scope, place: ast.expr) -> bool:
    """Whether a scope gives a place values anyway, or it is an attribute: else a name of the file would become one of a function."""
    if isinstance(place, ast.Attribute) or isinstance(scope, ast.Module):
        return True
    own = isinstance(place, ast.Name) and any(place.id in targets(node) for node in _own(scope))
    return own or _is_parameter(scope, place)


def _is_taken_apart(scope: Scope, statement: ast.stmt, container: ast.expr) -> bool:
    """Whether all that a scope does with a container behind a statement suits lists and tuples: it takes items of it, or gives it back."""
    name, uses = ast.unparse(container), 0
    for node in _behind(scope, statement):
        if isinstance(node, ast.Name) and node.id == name:
            uses += 1
        elif ast.unparse(_taken_from(node) or node) == name:
            uses -= 1
    return uses == 0 and any(
        isinstance(node, ast.Name) and node.id == name for node in _behind(scope, statement)
    )


def _taken_from(node: ast.AST) -> ast.expr | None:
    """What a node takes items of, or gives back."""
    if isinstance(node, ast.Assign) and all(isinstance(target, ast.Tuple) for target in node.targets):
        return node.value
    if isinstance(node, (*_LOOPS, ast.comprehension)):
        return node.iter
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return None
    return node.value if isinstance(node, (ast.Subscript, ast.Return, ast.Starred)) else None


def _is_new_container(scope: Scope, statement: ast.stmt, container: ast.expr) -> bool:
    """Whether nobody else has what a statement goes through: it is made in the scope, or taken out of something by another loop.

    The scope reads it behind the statement.
    """
    name = ast.unparse(container)
    bound = [
        node for node in _own(scope) if isinstance(node, (ast.stmt, ast.NamedExpr)) and name in _bound(node)
    ]
    read = any(isinstance(node, ast.Name) and node.id == name for node in _behind(scope, statement))
    return read and bool(bound) and all(map(_is_new, bound))


def _behind(scope: Scope, statement: ast.stmt) -> Iterator[ast.AST]:
    """What stands further down in a scope than a statement."""
    end = (statement.end_lineno or 0, statement.end_col_offset or 0)
    for node in _own(scope):
        placed = node.iter if isinstance(node, ast.comprehension) else node
        if (getattr(placed, "lineno", 0), getattr(placed, "col_offset", 0)) > end:
            yield node


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


def _outside(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """The names in a node without the loops and the comprehensions that give ``name`` a value."""
    if isinstance(node, ast.Name):
        yield node
    for part in ast.iter_child_nodes(node):
        loops = [part] if isinstance(part, _LOOPS) else getattr(part, "generators", [])
        if not any(name in targets(loop.target) for loop in loops):
            yield from _outside(part, name)
