"""Values of which parts move again and again move where they get their name, if nothing else is done with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.arguments import moved_part, suffix_of
from devfix.tidying.functions import (
    Function,
    arguments_of,
    bound_names,
    functions,
    holds_functions,
    read_names,
    stores,
)
from devfix.tidying.lifetimes import readers
from devfix.tidying.written import Offsets, Written

#: What a tensor says of itself wherever it is.
_SAYINGS = frozenset({"shape", "size", "dim", "ndim", "numel", "dtype"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: What may stand before ``.to`` as it is.
_CLOSED = (ast.Call, ast.Name, ast.Attribute, ast.Subscript)


def moved_once(written: Written) -> str:
    """The text with ``x = f().to(device)`` instead of several new moves of ``x`` or of parts of it."""
    source = written.after
    insertions: list[tuple[int, str]] = []
    cuts: list[Offsets] = []
    for scope in _scopes(source.tree):
        for bound, moves in _moved(written, scope):
            device = ast.unparse(moves[0].args[0])
            insertions.append((written.offsets(source.span(bound.value))[1], f".to({device})"))
            cuts += [suffix_of(written, move) for move in moves]
    edits = [*((begin, end, "") for begin, end in set(cuts)), *((at, at, code) for at, code in insertions)]
    text = source.text
    for begin, end, code in sorted(edits, reverse=True):
        text = text[:begin] + code + text[end:]
    return text


def _scopes(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """The bodies of functions without functions in them, and what a file does itself."""
    yield from (function.body for function in functions(tree) if not holds_functions(function))
    yield [statement for statement in tree.body if not isinstance(statement, _DEFINITIONS)]


def _moved(written: Written, scope: list[ast.stmt]) -> Iterator[tuple[ast.Assign, list[ast.Call]]]:
    """The statements that give a name a value of which nothing is used that does not move, to one device."""
    nodes = [node for statement in scope for node in in_rows(statement)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and moved_part(node)]
    new = [call for call in calls if written.holds([suffix_of(written, call)])]
    if len(new) < 2:
        return
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    changing = _bound_in_loops(nodes)
    for name in sorted({moved_part(call) for call in new} - _read_elsewhere(written.after.tree, scope)):
        for bound, reads in (readers(scope, nodes, name) or {}).items():
            moves = [call for call in calls if moved_part(call) == name and _root_of(call) in reads]
            if not isinstance(bound, ast.Assign) or len(moves) < 2 or not set(moves) <= set(new):
                continue
            if not _binds_alone(bound) or len({ast.unparse(move.args[0]) for move in moves}) > 1:
                continue
            if any((changing - {name}) & read_names(move.func) for move in moves):
                continue  # piece by piece, as a set of data does that may be too large
            others = [read for read in reads if read not in map(_root_of, moves)]
            if _is_known_before(scope, nodes, moves[0].args[0], bound) and not any(
                _is_used(parents, read) for read in others
            ):
                yield bound, moves


def _read_elsewhere(tree: ast.Module, scope: list[ast.stmt]) -> set[str]:
    """The names that functions and classes of a file read of what the file itself binds."""
    if not any(statement in tree.body for statement in scope):
        return set()
    found: set[str] = set()
    for node in in_rows(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            shared = {name for part in in_rows(node) if isinstance(part, ast.Global) for name in part.names}
            found |= (read_names(node) - arguments_of(node) - bound_names(node)) | shared
            found |= {name for part in _defaults(node) for name in read_names(part)}
        elif isinstance(node, ast.Lambda):
            found |= read_names(node.body)
        elif isinstance(node, ast.ClassDef):
            body = (part for part in node.body if not isinstance(part, _DEFINITIONS))
            own = (*body, *node.bases, *node.keywords, *node.decorator_list)
            found |= {name for part in own for name in read_names(part)}
    return found


def _defaults(function: Function) -> Iterator[ast.expr]:
    """What is read where a function is defined."""
    yield from (*function.args.defaults, *filter(None, function.args.kw_defaults), *function.decorator_list)


def _root_of(move: ast.Call) -> ast.AST:
    """The name of which a part moves."""
    root: ast.AST = move.func
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    return root


def _bound_in_loops(nodes: list[ast.AST]) -> set[str]:
    loops = (node for node in nodes if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    inside = (part for loop in loops for part in in_rows(loop) if isinstance(part, ast.Name))
    return {part.id for part in inside if not isinstance(part.ctx, ast.Load)}


def _binds_alone(bound: ast.Assign) -> bool:
    """Whether a statement binds one name and nothing else, to what a method can be called of as it stands."""
    return (
        len(bound.targets) == 1
        and isinstance(bound.targets[0], ast.Name)
        and isinstance(bound.value, _CLOSED)
    )


def _is_known_before(
    scope: list[ast.stmt], nodes: list[ast.AST], device: ast.expr, bound: ast.Assign
) -> bool:
    """Whether what the device is called by is an argument, or of the file, or bound above, once and for all."""
    for name in read_names(device):
        stored = stores(nodes, name)
        above = [statement for statement in scope if statement.lineno < bound.lineno]
        direct = [
            part for statement in above if isinstance(statement, ast.Assign) for part in statement.targets
        ]
        if len(stored) > 1 or any(each not in direct for each in stored):
            return False
    return True


def is_used_otherwise(
    nodes: list[ast.AST], parents: dict[ast.AST, ast.AST], name: str, moves: list[ast.Call]
) -> bool:
    """Whether anything else than a move, or a question that a tensor answers anywhere, reads a name."""
    moved = {part for move in moves for part in in_rows(move.func)}
    for node in nodes:
        if (
            not isinstance(node, ast.Name)
            or node.id != name
            or not isinstance(node.ctx, ast.Load)
            or node in moved
        ):
            continue
        if _is_used(parents, node):
            return True
    return False


def _is_used(parents: dict[ast.AST, ast.AST], read: ast.AST) -> bool:
    """Whether something is done with what a name stands for that may ask where it is."""
    around = parents[read]
    asked = isinstance(around, ast.Attribute) and around.attr in _SAYINGS
    return not asked and not (isinstance(around, ast.Call) and getattr(around.func, "id", "") == "len")
