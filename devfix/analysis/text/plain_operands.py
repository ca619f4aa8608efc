"""Plain operands: attributes that a file reads as operands of operators alone, where nothing is chosen.

Nobody asks then what such an attribute is before it is computed with, and no other place takes it where it is something else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.text.syntax import remembered, walk

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CHOOSING = (
    ast.If, ast.IfExp, ast.BoolOp, ast.While, ast.Match, ast.Try, ast.With, ast.Assert, ast.Lambda,
)  # fmt: skip


@remembered
def of(tree: ast.Module) -> frozenset[str]:
    """The names of these attributes."""
    functions = [node for node in walk(tree) if isinstance(node, _FUNCTIONS)]
    choosing = _parts(function for function in functions if any(map(_chooses, walk(function))))
    straight = _parts(functions) - choosing
    operations = (node for node in walk(tree) if isinstance(node, ast.BinOp))
    operands = {side for node in operations for side in (node.left, node.right)}
    read = [node for node in walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)]
    plain = {node for node in read if node in operands and node in straight}
    others = {node.attr for node in read if node not in plain}
    return frozenset(node.attr for node in plain) - others


def _chooses(node: ast.AST) -> bool:
    return isinstance(node, _CHOOSING) or (isinstance(node, ast.comprehension) and bool(node.ifs))


def _parts(functions: Iterable[ast.AST]) -> set[ast.AST]:
    return {part for function in functions for part in walk(function)}
