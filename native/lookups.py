"""Lookups: what mypyc would look up in a dictionary each time, and has at a place of its own where it is told that it stays."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

#: What a type is written with where it is called or subscripted: what is within is not evaluated again and again.
_GENERIC = frozenset({"dict", "list", "set", "frozenset", "tuple", "type", "defaultdict"})


@dataclass(frozen=True)
class _Part:
    """A part of a line, and what takes its place."""

    line: int
    begin: int
    end: int
    text: str


def settled(text: str) -> str:
    """A module in which constants are final, and so are the names of ``ast`` in functions."""
    tree = ast.parse(text)
    used = {}
    parts = list(_final(tree))
    for node in _of_ast(tree):
        used[node.attr] = f"_ast_{node.attr}"
        parts.append(_Part(node.lineno, node.col_offset, node.end_col_offset or 0, used[node.attr]))
    lines = text.encode("utf-8").splitlines()
    for part in sorted(parts, key=lambda each: (each.line, each.begin), reverse=True):
        line = lines[part.line - 1]
        lines[part.line - 1] = line[: part.begin] + part.text.encode("utf-8") + line[part.end :]
    told = [f"{name}: Final = ast.{each}" for each, name in sorted(used.items())]
    made = [each.decode("utf-8") for each in lines]
    if parts:
        place = max(
            (each.end_lineno or 0 for each in tree.body if isinstance(each, (ast.Import, ast.ImportFrom))),
            default=0,
        )
        made[place:place] = ["from typing import Final", *told]
    return "\n".join([*made, ""])


def _final(tree: ast.Module) -> Iterator[_Part]:
    """What makes a constant of a module final: a name in capitals that is bound once."""
    bound = Counter(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target = node.target
        else:
            continue
        if (
            not isinstance(target, ast.Name)
            or not target.id.isupper()
            or bound[target.id] > 1
            or _is_type(node.value)
        ):
            continue
        if isinstance(node, ast.AnnAssign):
            yield _Part(node.lineno, node.annotation.col_offset, node.annotation.col_offset, "Final[")
            yield _Part(node.annotation.end_lineno or 0, *(node.annotation.end_col_offset or 0,) * 2, "]")
        else:
            yield _Part(target.lineno, *(target.end_col_offset or 0,) * 2, ": Final")


def _is_type(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "TypeVar"


def _of_ast(tree: ast.Module) -> Iterator[ast.Attribute]:
    """The names of ``ast`` that functions evaluate."""
    if not any(isinstance(each, ast.Import) and each.names[0].name == "ast" for each in tree.body):
        return
    pending: list[ast.AST] = [
        each
        for part in ast.walk(tree)
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
        for each in part.body
    ]
    seen: set[ast.AST] = set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ast":
            yield node
            continue
        pending += _evaluated(node)


def _evaluated(node: ast.AST) -> list[ast.AST]:
    """The parts of a node that are no types, and no patterns."""
    left_out: list[ast.AST | None] = []
    if isinstance(node, (ast.arg, ast.AnnAssign)):
        left_out = [node.annotation]
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        left_out = [node.returns]
    elif isinstance(node, ast.MatchClass):
        left_out = [node.cls]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in _GENERIC:
        left_out = [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast":
        left_out = [node.args[0]]
    return [each for each in ast.iter_child_nodes(node) if each not in left_out]
