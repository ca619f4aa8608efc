"""Whole batches: names of which a piece of code takes nothing but parts, so that whatever is in one stays in it.

``batch["x"]``, ``batch[0]`` and ``batch.x`` take a part; who gets the batch itself may move all of it, unless it is a
function of the project that takes it apart as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from devfix.analysis.domain.values import BoundMethod, Function
from devfix.analysis.text.nodes_below import below
from devfix.analysis.text.scope_names import DEFINITIONS, own_nodes
from devfix.analysis.text.syntax import called, remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: One of these is in the text of any code that moves a part.
_MOVES = (".to(", ".cuda(")
#: What looks at a collection and leaves it alone.
_LOOKS = frozenset({"len", "isinstance", "type", "print"})
_GETTERS = frozenset({"get", "keys"})


class _Given(NamedTuple):
    """An argument of a call: its position or its keyword."""

    call: ast.Call
    key: int | str


def is_taken_apart(interp: Interpreter, name: str) -> bool:
    """Whether the code that has a name takes nothing but parts of what is called so, and parts move there or where it is given."""
    frame = interp.frame
    source = interp.program.sources[frame.path]
    scope: ast.AST = frame.function.node if frame.function is not None else source.tree
    loop = next((each.node for each in reversed(frame.loops) if name in each.names), None)
    piece = scope if loop is None else loop
    uses = _uses(piece)
    if name in uses.lost:
        return False
    given = uses.given.get(name, ())
    first, last = getattr(piece, "lineno", 1), getattr(piece, "end_lineno", None) or len(source.lines)
    moves = bool(given) or source.has_one_between(_MOVES, first, last)
    return moves and all(_is_taken_apart_by(interp, each) for each in given)


def _is_taken_apart_by(interp: Interpreter, given: _Given) -> bool:
    """Whether a call is that of a function of the project which takes the argument apart, and hands it on to nobody."""
    func = given.call.func
    owner = func.value if isinstance(func, ast.Attribute) else func
    value = interp.eval(func) if isinstance(owner, ast.Name) else None
    function = value.function if isinstance(value, BoundMethod) else value
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda):
        return False
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)][isinstance(value, BoundMethod) :]
    name = given.key if isinstance(given.key, str) else next(iter(names[given.key :]), "")
    uses = _uses(function.node)
    return name in names and name not in uses.lost and name not in uses.given and name not in uses.filled


class _Uses(NamedTuple):
    """What a piece of code does with names beside taking parts.

    The arguments, those to which anything may happen, and those of which it sets parts.
    """

    given: Mapping[str, list[_Given]]
    lost: frozenset[str]
    filled: frozenset[str]


@remembered
def _uses(piece: ast.AST) -> _Uses:
    nodes = list(own_nodes(below(piece), DEFINITIONS))
    apart = {base for node in nodes for base in _bases(node)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    arguments = {node: given for call in calls for node, given in _arguments(call)}
    changed = {base for call in calls for base in _called_on(call.func)}
    given: dict[str, list[_Given]] = {}
    lost: set[str] = set()
    for node in nodes:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if node in changed or (node not in apart and node not in arguments):
            lost.add(node.id)
        elif node in arguments:
            given.setdefault(node.id, []).append(arguments[node])
    filled = {node.value.id for node in nodes if _is_set(node) and isinstance(node.value, ast.Name)}
    return _Uses(given, frozenset(lost), frozenset(filled))


def _is_set(node: ast.AST) -> TypeGuard[ast.Attribute | ast.Subscript]:
    """Whether a part is set or deleted."""
    return isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)


def _arguments(call: ast.Call) -> Iterator[tuple[ast.expr, _Given]]:
    """The arguments of a call, but those that it spreads, and those behind one."""
    if called(call) in _LOOKS and isinstance(call.func, ast.Name):
        return
    for position, node in enumerate(call.args):
        if isinstance(node, ast.Starred):
            break
        yield node, _Given(call, position)
    yield from ((each.value, _Given(call, each.arg)) for each in call.keywords if each.arg is not None)


def _bases(node: ast.AST) -> Iterator[ast.expr]:
    """What a node takes a part of that is named, or looks at."""
    if isinstance(node, ast.Attribute):
        yield node.value
    elif isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant):
            yield node.value
    elif isinstance(node, ast.Call):
        if called(node) in _LOOKS and isinstance(node.func, ast.Name):
            yield from node.args
    elif isinstance(node, ast.Compare) and all(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
        yield from node.comparators


def _called_on(func: ast.expr) -> Iterator[ast.expr]:
    """What a method is called on that may change it."""
    if isinstance(func, ast.Attribute) and func.attr not in _GETTERS:
        yield func.value
