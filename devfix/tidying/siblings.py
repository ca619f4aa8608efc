"""Siblings: what is unpacked with others that move at once, and moves wherever it is used, moves with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.arguments import moved_part, suffix_of
from devfix.tidying.functions import functions, holds_functions, read_names
from devfix.tidying.lifetimes import readers
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
    text = without(source.text, [suffix_of(written, move) for _, moves in found for move in moves])
    lines = list(source.with_text(text).lines)
    for number, (move, *_) in sorted(found, key=lambda each: each[0], reverse=True):
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


def _late(written: Written, scope: list[ast.stmt]) -> Iterator[tuple[int, list[ast.Call]]]:
    """Behind which line moves stand that others could join, and the moves of each of these."""
    nodes = [node for part in scope for node in in_rows(part)]
    for statement in nodes:
        names, block = _unpacked(statement, scope, nodes)
        lines = list(_moves_after(written, block))
        moved = {name for line in lines for name in _moves(written, line)[1]}
        if not moved:
            continue
        suffix = _moves(written, lines[-1])[0]
        for name in (each for each in names if each not in moved):
            late = _only_uses(scope, nodes, statement, block, name)
            if late and all(f".to({ast.unparse(move.args[0])})" == suffix for move in late):
                asks = read_names(late[0].args[0]) & set(names)
                if not asks and all(written.holds([suffix_of(written, move)]) for move in late):
                    yield lines[-1], late


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
    stored = [node.id for node in in_rows(target) if isinstance(node, ast.Name)] if target is not None else []
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


def _only_uses(
    scope: list[ast.stmt], nodes: list[ast.AST], statement: ast.AST, block: list[ast.stmt], name: str
) -> list[ast.Call]:
    """All that is done with what a statement binds to a name, some of it whenever the block runs: it moves."""
    lives = readers(scope, nodes, name) or {}
    reads = next((each for bound, each in lives.items() if bound is statement), [])
    calls = (node for part in block for node in in_rows(part) if isinstance(node, ast.Call))
    moves = [
        call
        for call in calls
        if moved_part(call) == name and isinstance(call.func, ast.Attribute) and call.func.value in reads
    ]
    always = [part for part in block if not isinstance(part, (*_ASIDE, *_LOOPS))]
    inside = {node for part in always for node in in_rows(part)} - {
        node for part in always for node in _aside(part)
    }
    return moves if len(moves) == len(reads) and inside & set(moves) else []


def _aside(statement: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that may not run when it does."""
    for node in in_rows(statement):
        if isinstance(node, _ASIDE):
            yield from in_rows(node)
