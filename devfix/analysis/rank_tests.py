"""Tests that compare the ranks of two tensors: they tell kinds of tensors apart, as labels from their one-hot form."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_RANKS = ("dim", "ndim", "ndimension")
_SHAPES = ("shape", "size")


def compared(test: ast.Compare) -> Iterator[ast.expr]:
    """The two tensors of ``labels.dim() < logits.dim()`` or ``len(labels.shape) < len(logits.shape)``."""
    if len(test.ops) != 1:
        return
    left, right = _ranked(test.left), _ranked(test.comparators[0])
    if left is not None and right is not None:
        yield from (left, right)


def _ranked(node: ast.expr) -> ast.expr | None:
    """The tensor whose rank an expression is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return _attribute_of(node.args[0], _SHAPES) if len(node.args) == 1 else None
    return _attribute_of(node, _RANKS)


def _attribute_of(node: ast.expr, names: tuple[str, ...]) -> ast.expr | None:
    asked = node.func if isinstance(node, ast.Call) and not node.args else node
    return asked.value if isinstance(asked, ast.Attribute) and asked.attr in names else None
