"""Grids: objects of NumPy that are indexed and not called, to lay out coordinates or to put arrays beside one another."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import UNKNOWN, Array, Const, Value, without_none
from devfix.analysis.torch_model.arrays import data_types

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def _mesh(interp: Interpreter, key: ast.expr) -> Value:
    """``np.mgrid[0:n, 0:m]``: the coordinates along each axis; integers unless a bound is none."""
    axes = _parts(key)
    dtypes = {_of_axis(interp, axis) for axis in axes if isinstance(axis, ast.Slice)}
    dtype = None if None in dtypes else "float64" if "float64" in dtypes else "int64"
    return Array(dtype, len(axes) + 1 if len(axes) > 1 else 1, (interp.site("array", key),))


def _parts(key: ast.expr) -> list[ast.expr]:
    return key.elts if isinstance(key, ast.Tuple) else [key]


def _of_axis(interp: Interpreter, axis: ast.Slice) -> str | None:
    """The dtype of what a slice lays out; an imaginary step is a number of points between the bounds."""
    given = [interp.eval(part) for part in (axis.lower, axis.upper, axis.step) if part is not None]
    counted = axis.step is not None and _is_imaginary(given[-1])
    kinds = {exact_type(bound) for bound in (given[:-1] if counted else given)}
    if not kinds <= {"int", "float"}:
        return None
    return "float64" if counted or "float" in kinds else "int64"


def _is_imaginary(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, complex)


def _beside(rank: int) -> Callable[[Interpreter, ast.expr], Value]:
    """``np.r_[a, 0, b]`` and ``np.c_[a, b]``, which have at least so many dimensions."""

    def joined(interp: Interpreter, key: ast.expr) -> Value:
        parts = [_part(interp, part) for part in _parts(key)]
        if any(scalar_type(part) == "str" for part in parts):
            return UNKNOWN  # says along which axis, and of how many
        ranks = {part.rank if isinstance(part, Array) else None for part in parts}
        flat = ranks <= {0, 1, rank}
        return Array(
            data_types.common(interp, parts), rank if flat else AT_LEAST_1, (interp.site("array", key),)
        )

    return joined


def _part(interp: Interpreter, part: ast.expr) -> Value:
    """What stands beside others, where a slice stands for the numbers that it lays out."""
    if isinstance(part, ast.Slice):
        return Array(_of_axis(interp, part), 1)
    return without_none(interp.eval(part))


HANDLERS: dict[str, Callable[[Interpreter, ast.expr], Value]] = {
    "numpy.mgrid": _mesh,
    "numpy.r_": _beside(1),
    "numpy.c_": _beside(2),
}
