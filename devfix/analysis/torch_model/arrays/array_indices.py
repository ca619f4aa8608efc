"""Tensors that select from arrays: NumPy makes an array of one, but for a single number, which it asks for by ``__index__``."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import Const, Scalar, Tensor, Value
from devfix.analysis.language.frames import Arg
from devfix.analysis.torch_model.tensors import host_memory

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def check(interp: Interpreter, node: ast.Subscript, keys: Iterable[tuple[Value, ast.expr]]) -> None:
    """Record the tensors of an index that are read as arrays.

    A vector of one number selects wherever it is, as ``names[scores.argmax(1)]`` does for one sample.
    """
    for index, where in keys:
        if isinstance(index, Tensor) and _selects_several(interp, index, where):
            host_memory.check_argument(interp, "numpy.ndarray.__getitem__", node, Arg(index, where))


def _selects_several(interp: Interpreter, index: Tensor, where: ast.expr) -> bool:
    """Whether an index is a mask, or the first of what was put in an order."""
    if index.rank in (0, None):
        return False
    return index.dtype == "bool" or (isinstance(where, ast.Subscript) and _is_first_part(interp, where.slice))


def _is_first_part(interp: Interpreter, part: ast.expr) -> bool:
    """Whether a slice is ``:n``, of which ``n`` is not one as far as anybody knows."""
    if not isinstance(part, ast.Slice) or part.lower is not None or part.upper is None:
        return False
    count = interp.eval(part.upper)
    if isinstance(count, Const):
        return isinstance(count.value, int) and count.value > 1
    return scalar_type(count) == "int" and not (isinstance(count, Scalar) and count.usual == 1)
