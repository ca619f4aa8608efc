"""Siblings: what is unpacked with others that move at once, and moves where it is used once, moves with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.tidying.arguments import moved_part, suffix_of
from devfix.tidying.functions import functions, holds_functions, read_names
from devfix.tidying.lines import indent_of, moves_of
from devfix.tidying.written import Written, without

_LOOPS = (ast.For, ast.AsyncFor)
#: What may run at another time than where it stands, or not at all.
_ASIDE = (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.While)


def moved_together(written: Written) -> str:
    """The text with ``x, y = x.to(device), y.to(device)`` instead of ``x = x.to(device)`` and ``loss(model(x), y.to(device))``.

    So it is where fixes wrote both moves, and nothing else is done with ``y``.
    """
    source = written.after
    found = [each for scope in _scopes(source.tree) for each in _late(written, scope)]
    text = without(source.text, [suffix_of(written, move) for _, move in found])
    lines = list(source.with_text(text).lines)
    for number, move in sorted(found, key=lambda each: each[0], reverse=True):
        before = source.lines[number - 1]
        indent = indent_of(before)
        name = moved_part(move)
        code = f"{indent}{name} = {name}.to({ast.unparse(move.args[0])}){source.newline}"
        lines.insert(number, code)
    return "".join(lines)


def _scopes(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """The bodies whose names nothing within them has as well: those of functions, and of a file without any."""
    inner = list(functions(tree))
    if not inner:
        yield tree.body
    yield from (function.body for function in inner if not holds_functions(function))


def _late(written: Written, scope: list[ast.stmt]) -> Iterator[tuple[int, ast.Call]]:
    """Behind which line moves stand that others could join, and the moves of these."""
    nodes = [node for part in scope for node in ast.walk(part)]
    for statement in nodes:
        names, block = _unpacked(statement, scope, nodes)
        lines = list(_moves_after(written, block))
        moved = {name for line in lines for name in _moves(written, line)[1]}
        if not moved:
            continue
        suffix = _moves(written, lines[-1])[0]
        for name in (each for each in names if each not in moved):
            move = _only_use(nodes, block, name)
            if move is not None and f".to({ast.unparse(move.args[0])})" == suffix:
                asks = read_names(move.args[0]) & set(names)
                if not asks and written.holds([suffix_of(written, move)]):
                    yield lines[-1], move


def _unpacked(
    statement: ast.AST, scope: list[ast.stmt], nodes: list[ast.AST]
) -> tuple[list[str], list[ast.stmt]]:
    """The names that a statement unpacks something into, and the statements that follow it in its block."""
    block: list[ast.stmt] = []
    target: ast.expr | None = None
    if isinstance(statement, _LOOPS):
        block, target = statement.body, statement.target
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0] if isinstance(statement.targets[0], ast.Tuple) else None
        block = _behind(statement, scope, nodes) if target is not None else []
    stored = (
        [node.id for node in ast.walk(target) if isinstance(node, ast.Name)] if target is not None else []
    )
    return stored, block


def _behind(statement: ast.stmt, scope: list[ast.stmt], nodes: list[ast.AST]) -> list[ast.stmt]:
    """The statements that follow another one in its block."""
    bodies = [scope, *(getattr(node, "body", None) for node in nodes)]
    block = next((body for body in bodies if isinstance(body, list) and statement in body), [])
    return block[block.index(statement) + 1 :] if block else []


def _moves_after(written: Written, block: list[ast.stmt]) -> Iterator[int]:
    """The lines at the beginning of a block on which fixes wrote moves."""
    for statement in block:
        if not written.is_new_line(statement.lineno) or not _moves(written, statement.lineno)[1]:
            return
        yield statement.lineno


def _moves(written: Written, number: int) -> tuple[str, list[str]]:
    return moves_of(written.after.lines[number - 1]) or ("", [])


def _only_use(nodes: list[ast.AST], block: list[ast.stmt], name: str) -> ast.Call | None:
    """The one thing that is done with a name, whenever the statements of a block run: it moves."""
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    reads = [node for node in uses if isinstance(node.ctx, ast.Load)]
    if len(uses) != 2 or len(reads) != 1:
        return None
    always = (part for part in block if not isinstance(part, (*_ASIDE, *_LOOPS)))
    inside = [node for part in always for node in ast.walk(part)]
    if any(isinstance(node, _ASIDE) and reads[0] in ast.walk(node) for node in inside):
        return None
    calls = (node for node in inside if isinstance(node, ast.Call) and moved_part(node) == name)
    return next((call for call in calls if getattr(call.func, "value", None) is reads[0]), None)
