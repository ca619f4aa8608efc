"""Lifetimes: which reads of a name see what one statement has bound to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.functions import stores

_BLOCKS = ("body", "orelse", "finalbody")


def readers(
    scope: list[ast.stmt], nodes: Sequence[ast.AST], name: str
) -> dict[ast.stmt, list[ast.Name]] | None:
    """The statements of a scope that bind a name, each with the reads that see its value; ``nodes`` are all of the scope.

    None where a read may see the values of several statements, or something else binds the name.
    """
    used = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    stored = set(stores(used, name))
    found: dict[ast.stmt, list[ast.Name]] = {}
    for block in _blocks(scope, nodes):
        for number, statement in enumerate(block):
            bound = stored & set(_targets(statement))
            if len(bound) == 1:
                behind = (
                    statement.body if isinstance(statement, ast.For | ast.AsyncFor) else block[number + 1 :]
                )
                found[statement] = list(_seen(behind, name))
                stored -= bound
    reads = [read for each in found.values() for read in each]
    alone = len(reads) == len(set(reads)) == sum(isinstance(node.ctx, ast.Load) for node in used)
    return found if not stored and alone else None


def _blocks(scope: list[ast.stmt], nodes: Sequence[ast.AST]) -> Iterator[list[ast.stmt]]:
    yield scope
    for node in nodes:
        blocks = (getattr(node, name, None) for name in _BLOCKS)
        yield from (block for block in blocks if isinstance(block, list) and block is not scope)


def _targets(statement: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(statement, ast.Assign):
        yield from (node for target in statement.targets for node in in_rows(target))
    elif isinstance(statement, ast.For | ast.AsyncFor):
        yield from in_rows(statement.target)


def _seen(block: list[ast.stmt], name: str) -> Iterator[ast.Name]:
    """The reads of a name in the statements of a block before the first that binds it, in some part of it, again."""
    for statement in block:
        used = [node for node in in_rows(statement) if isinstance(node, ast.Name) and node.id == name]
        if any(not isinstance(node.ctx, ast.Load) for node in used):
            return
        yield from used
