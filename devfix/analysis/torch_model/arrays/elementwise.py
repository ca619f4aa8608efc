"""Elementwise: functions that NumPy applies to each element, which give a tensor where they are given one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import Array, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays.numpy_types import settled

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The functions (``numpy.ufunc``), by the number of their operands.
FUNCTIONS = {
    1: frozenset(
        "exp exp2 log log2 log10 log1p expm1 sqrt cbrt sin cos tan tanh sinh cosh arctan arcsin arccos deg2rad "
        "rad2deg radians degrees fabs abs absolute negative sign square reciprocal floor ceil trunc isnan isinf "
        "isfinite logical_not".split()
    ),
    2: frozenset(
        "maximum minimum fmax fmin add subtract multiply mod remainder floor_divide power matmul bitwise_and "
        "bitwise_or bitwise_xor true_divide divide arctan2 hypot logaddexp logical_and logical_or logical_xor "
        "equal greater less not_equal greater_equal less_equal".split()
    ),
}


def as_arrays(name: str, site: CallSite) -> CallSite | None:
    """A call of such a function with the arrays that it sees in place of tensors; None for any other call."""
    given = [without_none(arg.value) for arg in site.args]
    if name not in FUNCTIONS.get(len(given), ()) or site.keywords or site.open:
        return None
    if not any(isinstance(value, Tensor) for value in given):
        return None
    return replace(
        site,
        args=tuple(
            arg._replace(value=Array(value.dtype, value.rank)) if isinstance(value, Tensor) else arg
            for arg, value in zip(site.args, given, strict=True)
        ),
    )


def wrapped(interp: Interpreter, made: Value, site: CallSite) -> Value:
    """What is made of tensors is a tensor of the CPU's memory again; truths are bytes there (facts)."""
    if not isinstance(made, Array):
        return made
    dtype = "uint8" if made.dtype == "bool" else settled(made.dtype)
    trail = (interp.site("numpy", site.node),)
    return Tensor(CPU, dtype, made.rank, grad=False, leaf=True, trail=trail)
