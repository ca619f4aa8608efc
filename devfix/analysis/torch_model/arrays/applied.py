"""Functions of the program's own that NumPy applies: to rows, to single entries, to indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, rank_of_broadcast
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import UNKNOWN, Array, External, Partial, Value, without_none
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.arrays import data_types, numpy_types
from devfix.analysis.torch_model.tensors.arguments import dtype_of, nesting

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_EACH = "numpy.vectorize.__call__"


def _along(interp: Interpreter, site: CallSite) -> Value:
    """``apply_along_axis(function, axis, array)``: what the function makes of a row."""
    given = site.value(2, "arr")
    given = without_none(given) if given is not None else None
    if not isinstance(given, Array) or not site.args:
        return UNKNOWN
    made = interp.call(site.args[0].value, CallSite(site.node, (Arg(replace(given, rank=1)),)))
    made = without_none(made)
    if isinstance(made, Array):
        return replace(made, rank=_rank_along(given, made))
    if exact_type(made) != "float":
        return UNKNOWN
    return replace(given, dtype="float64", rank=_rank_along(given, Array("float64", 0)))


def _rank_along(given: Array, made: Array) -> int | None:
    """The rank of an array in which what is ``made`` of a row stands in its place."""
    if given.rank is None or made.rank is None or min(given.rank, made.rank) < 0:
        return None if made.rank in (0, None) else AT_LEAST_1
    return given.rank - 1 + made.rank


def _vectorize(interp: Interpreter, site: CallSite) -> Value:
    """``np.vectorize(function)``: a function of arrays; one with options may give anything."""
    if len(site.args) != 1 or site.keywords or site.open:
        return UNKNOWN
    return Partial(External(_EACH), (site.args[0].value,), ())


def _each(interp: Interpreter, site: CallSite) -> Value:
    """A function of arrays is called: what the function behind it makes of single entries."""
    function, *given = (without_none(arg.value) for arg in site.args)
    if site.keywords or site.open:
        return UNKNOWN
    entries = tuple(Arg(_entry(interp, value)) for value in given)
    made = without_none(interp.call(function, CallSite(site.node, entries)))
    kind = exact_type(made)  # NumPy goes by that of the first one it is given, be the others fractions or not
    rank = rank_of_broadcast([nesting(interp, value) for value in given])
    trail = (interp.site("array", site.node),)
    if isinstance(made, Array) and made.rank == 0:
        return Array(made.dtype, rank, trail)
    return Array(numpy_types.NUMBERS[kind], rank, trail) if kind in numpy_types.NUMBERS else UNKNOWN


def _entry(interp: Interpreter, value: Value) -> Value:
    dtype = value.dtype if isinstance(value, Array) else data_types.of_data(interp, value)
    return Array(dtype, 0) if dtype is not None else UNKNOWN


def _of_indices(interp: Interpreter, site: CallSite) -> Value:
    """``np.fromfunction(function, shape)``: what the function makes of the indices along each axis."""
    shape = iteration.exact_items(interp, site.value(1, "shape") or UNKNOWN)
    if not shape or len(site.args) != 2 or site.open or site.keywords.keys() - {"dtype"}:
        return UNKNOWN
    given = site.value(None, "dtype")
    dtype = "float64" if given is None else dtype_of(given)
    return interp.call(site.args[0].value, CallSite(site.node, (Arg(Array(dtype, len(shape))),) * len(shape)))


HANDLERS: dict[str, Callable[[Interpreter, CallSite], Value]] = {
    "numpy.apply_along_axis": _along,
    "numpy.vectorize": _vectorize,
    _EACH: _each,
    "numpy.fromfunction": _of_indices,
}
