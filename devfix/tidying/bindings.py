"""Values of which parts move again and again move where they get their name, if nothing else is done with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.tidying.arguments import moved_part, suffix_of
from devfix.tidying.functions import Function, bound_names, functions, holds_functions, read_names
from devfix.tidying.written import Offsets, Written

#: What a tensor says of itself wherever it is.
_SAYINGS = frozenset({"shape", "size", "dim", "ndim", "numel", "dtype"})
#: What may stand before ``.to`` as it is.
_CLOSED = (ast.Call, ast.Name, ast.Attribute, ast.Subscript)


def moved_once(written: Written) -> str:
    """The text with ``x = f().to(device)`` instead of several new moves of ``x`` or of parts of it."""
    source = written.after
    insertions: list[tuple[int, str]] = []
    cuts: list[Offsets] = []
    for function in functions(source.tree):
        for bound, moves in _moved(written, function):
            device = ast.unparse(moves[0].args[0])
            insertions.append((written.offsets(source.span(bound.value))[1], f".to({device})"))
            cuts += [suffix_of(written, move) for move in moves]
    edits = [*((begin, end, "") for begin, end in set(cuts)), *((at, at, code) for at, code in insertions)]
    text = source.text
    for begin, end, code in sorted(edits, reverse=True):
        text = text[:begin] + code + text[end:]
    return text


def _moved(written: Written, function: Function) -> Iterator[tuple[ast.Assign, list[ast.Call]]]:
    """The statements that alone give a name its value, of which nothing is used that does not move, to one device."""
    if holds_functions(function):
        return
    nodes = list(ast.walk(function))
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and moved_part(node)]
    changing = _bound_in_loops(nodes) if calls else set()
    for name in sorted({moved_part(call) for call in calls}):
        moves = [call for call in calls if moved_part(call) == name]
        bound = _bound_once(nodes, name)
        if bound is None or len(moves) < 2 or len({ast.unparse(move.args[0]) for move in moves}) > 1:
            continue
        if not all(written.holds([suffix_of(written, move)]) for move in moves):
            continue
        if any(changing & read_names(move.func) for move in moves):
            continue  # piece by piece, as a set of data does that may be too large
        if _is_known_before(function, moves[0].args[0], bound) and not is_used_otherwise(
            nodes, parents, name, moves
        ):
            yield bound, moves


def _bound_in_loops(nodes: list[ast.AST]) -> set[str]:
    loops = (node for node in nodes if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    inside = (part for loop in loops for part in ast.walk(loop) if isinstance(part, ast.Name))
    return {part.id for part in inside if not isinstance(part.ctx, ast.Load)}


def _bound_once(nodes: list[ast.AST], name: str) -> ast.Assign | None:
    """The one statement that binds a name, and nothing but that."""
    stored = [
        n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    bound = [n for n in nodes if isinstance(n, ast.Assign) and n.targets == stored]
    return bound[0] if len(stored) == len(bound) == 1 and isinstance(bound[0].value, _CLOSED) else None


def _is_known_before(function: Function, device: ast.expr, bound: ast.Assign) -> bool:
    """Whether the function binds nothing that the device is called by: it is an argument, or of the file."""
    return read_names(device).isdisjoint(bound_names(function)) and bound in function.body


def is_used_otherwise(
    nodes: list[ast.AST], parents: dict[ast.AST, ast.AST], name: str, moves: list[ast.Call]
) -> bool:
    """Whether anything else than a move, or a question that a tensor answers anywhere, reads a name."""
    moved = {part for move in moves for part in ast.walk(move.func)}
    for node in nodes:
        if (
            not isinstance(node, ast.Name)
            or node.id != name
            or not isinstance(node.ctx, ast.Load)
            or node in moved
        ):
            continue
        around = parents[node]
        asked = isinstance(around, ast.Attribute) and around.attr in _SAYINGS
        counted = isinstance(around, ast.Call) and getattr(around.func, "id", "") == "len"
        if not asked and not counted:
            return True
    return False
