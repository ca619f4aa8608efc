"""Tests that compare the ranks of tensors, or one with a number: they tell kinds of tensors apart, as labels from their one-hot form."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.domain.values import Tensor

_RANKS = ("dim", "ndim", "ndimension")
_SHAPES = ("shape", "size")


def compared(test: ast.Compare) -> Iterator[tuple[ast.expr, bool]]:
    """The two tensors of ``labels.dim() < logits.dim()``; the one of ``len(codes.shape) == 4``, and that it is alone."""
    if len(test.ops) != 1:
        return
    left, right = ranked(test.left), ranked(test.comparators[0])
    if left is not None and right is not None:
        yield from ((left, False), (right, False))
    elif left is not None and isinstance(test.comparators[0], ast.Constant):
        yield left, True


def tells_kinds(value: Tensor, alone: bool) -> bool:
    """Whether a test of ranks tells of which kind a tensor is, and so whether it is the one that is known.

    A rank that is compared with a number says how many there are of the same, too, but not of whole numbers: codes or
    labels are told from pictures by it.
    """
    is_unsure = value.rank is None or value.rank < 0
    return value.dtype is not None and (not alone or (value.dtype == "int64" and is_unsure))


def ranked(node: ast.expr) -> ast.expr | None:
    """The tensor whose rank an expression is: that of ``x.dim()`` or ``len(x.shape)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return _attribute_of(node.args[0], _SHAPES) if len(node.args) == 1 else None
    return _attribute_of(node, _RANKS)


def _attribute_of(node: ast.expr, names: tuple[str, ...]) -> ast.expr | None:
    asked = node.func if isinstance(node, ast.Call) and not node.args else node
    return asked.value if isinstance(asked, ast.Attribute) and asked.attr in names else None
