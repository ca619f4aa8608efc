"""NumPy: arrays with dtypes, and what happens when an accelerator's tensor gets there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, NAMED_DTYPES, STORED_INTEGERS, rank_of_broadcast
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    External,
    Obj,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.arrays import (
    data_types,
    elementwise,
    numpy_random,
    numpy_ranks,
    numpy_results,
    numpy_types,
)
from devfix.analysis.torch_model.tensors import host_memory
from devfix.analysis.torch_model.tensors.arguments import dtype_of, nesting, size_rank

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_FLOAT_FACTORIES = frozenset("zeros ones empty eye identity linspace logspace geomspace".split())
_LIKE = frozenset("zeros_like ones_like empty_like full_like".split())
#: Which positional argument is the dtype, where that is not the second one.
_DTYPE_PLACES = {
    "full": 2,
    "full_like": 2,
    "arange": 3,
    "eye": 3,
    "geomspace": 4,
    "linspace": 5,
    "logspace": 5,
}
#: Pointwise functions of two operands, with the dtype that these have together.
_PAIRWISE = frozenset(
    "maximum minimum fmax fmin add subtract multiply mod remainder floor_divide power outer dot matmul "
    "inner vdot tensordot kron bitwise_and bitwise_or bitwise_xor".split()
)
#: Functions of one array that keep its dtype; those in ``_RESHAPING`` may leave another rank.
_MAGNITUDES = frozenset("abs absolute real imag".split())
_KEEPING = frozenset(
    "negative copy flip fliplr flipud roll sort take_along_axis rot90 round around floor ceil trunc sign "
    "square reciprocal nan_to_num triu tril ascontiguousarray transpose swapaxes moveaxis clip diff".split()
)
_RESHAPING = frozenset(
    "reshape ravel squeeze tile pad resize atleast_1d atleast_2d atleast_3d broadcast_to "
    "take delete diag diagonal".split()
)
#: Functions of one array that make one of whatever they are given, and with an axis or more of what anybody gives them.
_OF_ANYTHING = frozenset("expand_dims pad tile broadcast_to".split())
_FLOATING = frozenset(
    "exp exp2 log log2 log10 log1p expm1 sqrt cbrt sin cos tan tanh sinh cosh arctan arcsin arccos deg2rad "
    "rad2deg radians degrees fabs rint".split()
)
#: Functions of two operands to which a number is an array of its own.
_PRODUCTS = frozenset("outer dot matmul inner vdot tensordot kron append".split())
_DIVIDING = frozenset(("true_divide", "divide"))
#: Functions of two arrays that take floats alone.
_FLOATING_PAIRS = frozenset(("arctan2", "hypot", "logaddexp"))
_FLOAT64 = frozenset("interp hanning hamming blackman bartlett kaiser corrcoef cov".split())
_AVERAGING = frozenset("mean std var median nanmean nanstd nanvar nanmedian".split())
_SPREADS = ("std", "var")
_QUANTILES = frozenset("percentile quantile nanpercentile nanquantile".split())
_SUMMING = frozenset("sum prod nansum".split())
_ACCUMULATING = frozenset("cumsum cumprod nancumsum nancumprod".split())
_EXTREME = frozenset("max min amax amin nanmax nanmin ptp".split())
_INDICES = frozenset(
    "argmax argmin nanargmax nanargmin argsort searchsorted flatnonzero bincount digitize count_nonzero".split()
)
_TESTS = frozenset(
    "isnan isinf isfinite logical_and logical_or logical_not logical_xor isin in1d isclose equal greater less "
    "not_equal greater_equal less_equal".split()
)
_JOINING = frozenset("concatenate stack vstack hstack column_stack dstack row_stack".split())
_NOTHING = frozenset(("seed", "set_printoptions", "seterr", "savetxt"))
#: Generators: ``RandomState``, ``default_rng``.
RNG = "numpy.random.Generator"


def call(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``numpy.…(…)``."""
    last = name.rpartition(".")[2]
    if last in ("RandomState", "default_rng", "Generator"):
        return interp.new(Obj("external", External(RNG)))
    host_memory.check(interp, name, site)
    if last in _NOTHING:
        return NONE
    if name.startswith("numpy.random"):
        return numpy_random.draw(interp, last, site)
    if (seen := elementwise.as_arrays(last, site)) is not None:
        return elementwise.wrapped(interp, _computed(interp, last, seen), site)
    made = _factory(interp, last, site)
    if made is None:
        made = numpy_results.call(interp, name, site)
    return made if made is not None else _computed(interp, last, site)


def _factory(interp: Interpreter, last: str, site: CallSite) -> Value | None:
    """Functions that make an array of sizes, Python data or a file."""
    if last in ("array", "asarray", "asanyarray", "ascontiguousarray", "asfarray"):
        return _array(interp, site)
    if last in _FLOAT_FACTORIES:
        return _made(interp, last, site, "float64", _factory_rank(interp, last, site))
    if last == "full":
        dtype = data_types.of_data(interp, site.value(1, "fill_value"))
        return _made(interp, last, site, dtype, _shape_rank(interp, site))
    if last == "arange":
        return _made(interp, last, site, _arange_dtype(site), 1)
    if last in NAMED_DTYPES or last in ("float_", "double", "single", "intp", "half"):
        return _converted(interp, last, site)
    return None


def _arange_dtype(site: CallSite) -> str | None:
    kinds = {exact_type(arg.value) for arg in site.args}
    return "float64" if "float" in kinds else "int64" if kinds <= {"int"} else None


def _converted(interp: Interpreter, last: str, site: CallSite) -> Value:
    """``np.float32(x)``: a scalar of NumPy, or an array of that dtype."""
    dtype = {"single": "float32", "half": "float16", "intp": "int64"}.get(last) or dtype_of(
        External(f"numpy.{last}")
    )
    rank = nesting(interp, site.args[0].value) if site.args else 0
    return Array(dtype, rank, (interp.site("array", site.node),))


def _factory_rank(interp: Interpreter, last: str, site: CallSite) -> int | None:
    if last in ("linspace", "logspace", "geomspace"):
        return 1
    return 2 if last in ("eye", "identity") else _shape_rank(interp, site)


def _shape_rank(interp: Interpreter, site: CallSite) -> int | None:
    """As many dimensions as the first argument names, or the one under its name."""
    shape = site.get(0, "shape")
    return size_rank(interp, [shape]) if shape is not None else None


def _made(interp: Interpreter, last: str, site: CallSite, dtype: str | None, rank: int | None) -> Array:
    given = site.get(_DTYPE_PLACES.get(last, 1), "dtype")
    if given is not None and given.value != NONE:
        dtype = dtype_of(given.value)
    return Array(dtype, rank, (interp.site("array", site.node),))


def _array(interp: Interpreter, site: CallSite) -> Value:
    """``np.array(data)``: Python floats become float64."""
    data = without_none(site.args[0].value) if site.args else UNKNOWN
    given = site.get(1, "dtype")
    if isinstance(data, Array) and given is None:
        return data
    node = site.args[0].node if site.args else None
    if isinstance(node, ast.List) and not node.elts:
        return _made(interp, "array", site, "float64", 1)  # ``np.array([])``, to which rows are joined
    rank = numpy_ranks.of_records(given.value if given is not None else NONE, nesting(interp, data))
    return _made(interp, "array", site, data_types.of_data(interp, data), rank)


def _computed(interp: Interpreter, last: str, site: CallSite) -> Value:
    first = without_none(site.args[0].value) if site.args else UNKNOWN
    if last in _LIKE and isinstance(first, Array):
        return _made(interp, last, site, first.dtype, first.rank)
    if last in _JOINING:
        joined = _joined(interp, last, first)
        flat = last == "concatenate" and site.value(1, "axis") == NONE
        return replace(joined, rank=1) if flat and isinstance(joined, Array) else joined
    if last in _PAIRWISE or last in _DIVIDING or last in _FLOATING_PAIRS or last in ("where", "append"):
        return _of_several(interp, last, site)
    if last == "nonzero":
        return Sequence(Array("int64", 1))
    if last == "meshgrid" and not site.open:
        return TupleValue(tuple(_coordinates(interp, arg.value, len(site.args)) for arg in site.args))
    if last == "reshape" and isinstance(first, Array):
        return replace(first, rank=numpy_ranks.reshaped(interp, replace(site, args=site.args[1:])))
    if last in _FLOAT64:
        return Array("float64", None)
    if last in _INDICES:
        weighed = last == "bincount" and site.value(1, "weights") not in (None, NONE)
        return Array("float64", 1) if weighed else numpy_ranks.places(interp, last, site)
    if last in _TESTS:
        return Array("bool", first.rank if isinstance(first, Array) else None)
    array = first if isinstance(first, Array) else _as_array(interp, first)
    if array is None:
        return Array(None, AT_LEAST_1) if last in _OF_ANYTHING else UNKNOWN
    if last == "norm":
        return Array(numpy_types.real(numpy_types.floating(array.dtype)), None, array.trail)
    if last == "unique" and any(key.startswith("return_") for key in site.keywords):
        return numpy_results.unique(array, site)
    return _of_one(interp, last, array, site)


def _coordinates(interp: Interpreter, axis: Value, rank: int) -> Value:
    """One of the arrays of ``np.meshgrid``."""
    array = axis if isinstance(axis, Array) else _as_array(interp, axis)
    return replace(array, rank=rank) if array is not None else UNKNOWN


def _as_array(interp: Interpreter, value: Value) -> Array | None:
    """A Python number or list as NumPy sees it, when its dtype is known."""
    dtype = data_types.of_data(interp, value) if not isinstance(value, Tensor) else None
    return Array(dtype, nesting(interp, value)) if dtype is not None else None


def _joined(interp: Interpreter, last: str, value: Value) -> Value:
    if isinstance(value, Array):
        return replace(value, rank=value.rank if last == "stack" and value.rank else AT_LEAST_1)
    items = data_types.contents(interp, value)
    arrays = [item for item in items if isinstance(item, Array)]
    if not arrays:
        return Array(None, AT_LEAST_1)
    dtype = data_types.common(interp, [_at_least_1d(item) for item in items])
    return Array(dtype, numpy_ranks.joined(last, [array.rank for array in arrays]), arrays[0].trail)


def _at_least_1d(value: Value) -> Value:
    """An item of what is joined counts as an array, were it a scalar."""
    if isinstance(value, Array):
        return replace(value, rank=AT_LEAST_1)
    kind = exact_type(value)
    return Array(numpy_types.NUMBERS.get(kind), 1) if kind is not None else value


def _of_several(interp: Interpreter, last: str, site: CallSite) -> Value:
    args = site.args[1:3] if last == "where" else site.args[:2]
    if len(args) < 2:
        return Sequence(Array("int64", 1)) if last == "where" else UNKNOWN
    values = [without_none(arg.value) for arg in args]
    arrays = [value for value in values if isinstance(value, Array)]
    joined = last in _PRODUCTS
    if last in _DIVIDING and len(arrays) < len(values):
        values = [
            replace(value, dtype=numpy_types.floating(value.dtype)) if isinstance(value, Array) else value
            for value in values
        ]
    if last in _FLOATING_PAIRS and len(arrays) == len(values):
        values = [replace(array, dtype=numpy_types.of_function(array.dtype)) for array in arrays]
    dtype = data_types.common(interp, map(_at_least_1d, values) if joined else values)
    if last in _DIVIDING:
        dtype = numpy_types.floating(dtype)
    if last in _FLOATING_PAIRS:
        dtype = numpy_types.of_function(dtype)
    shaped = [without_none(arg.value) for arg in site.args[:3]] if last == "where" else values
    rank = None if joined else rank_of_broadcast([nesting(interp, value) for value in shaped])
    return Array(dtype, rank, arrays[0].trail if arrays else ())


def _of_one(interp: Interpreter, last: str, array: Array, site: CallSite) -> Value:
    if last in _MAGNITUDES:
        return replace(array, dtype=numpy_types.real(array.dtype))
    if last in _KEEPING:
        return array
    if last == "repeat":
        return replace(array, rank=numpy_ranks.repeated(array.rank, site, 2))
    if last == "expand_dims":
        return replace(array, rank=numpy_ranks.expanded(array.rank, site))
    if last == "unique" and "axis" in site.keywords:
        return array
    if last in _RESHAPING or last == "unique":
        return replace(array, rank=numpy_ranks.rearranged(interp, last, array.rank, site))
    if last in _FLOATING:
        return replace(array, dtype=numpy_types.of_function(array.dtype))
    if last == "angle":
        return replace(array, dtype=numpy_types.of_angle(array.dtype))
    if last == "sinc":
        return replace(array, dtype=numpy_types.floating(array.dtype))
    return reduced(interp, last, array, site) or UNKNOWN


def reduced(interp: Interpreter, last: str, array: Array, site: CallSite) -> Array | None:
    """A reduction or accumulation of an array; None for any other function."""
    dtype = array.dtype
    if last in _QUANTILES:
        return numpy_results.quantiles(interp, array, site)
    if last == "average":
        return numpy_results.average(interp, array, site)
    if last in _AVERAGING:
        dtype = numpy_types.floating(dtype)
        dtype = numpy_types.real(dtype) if last.endswith(_SPREADS) else dtype
    elif last in _SUMMING or last in _ACCUMULATING:
        narrow = dtype not in (None, numpy_types.WIDE) and not str(dtype).startswith(("float", "complex"))
        unsigned = dtype in ("uint8", *STORED_INTEGERS)
        dtype = "int64" if narrow and not unsigned else None if narrow else dtype
    elif last not in _EXTREME:
        return None
    given = site.keywords.get("dtype")
    if given is not None and given.value != NONE:
        dtype = dtype_of(given.value)
    axis = site.get(1, "axis")
    if last in _ACCUMULATING:
        whole = axis is None or axis.value == NONE
        return Array(dtype, 1 if whole else array.rank, array.trail)
    return Array(dtype, numpy_ranks.reduced(interp, last, array.rank, site), array.trail)


_KEEPING_METHODS = frozenset("transpose copy round swapaxes clip".split())
_RESHAPING_METHODS = frozenset("squeeze take diagonal".split())


def method(interp: Interpreter, array: Array, name: str, site: CallSite) -> Value:
    """``array.name(...)``."""
    if name == "astype":
        given = site.value(0, "dtype")
        return Array(dtype_of(given), array.rank, (interp.site("cast", site.node),))
    if name in _KEEPING_METHODS:
        return array
    if name in ("flatten", "ravel"):
        return replace(array, rank=1)
    if name == "reshape":
        return replace(array, rank=numpy_ranks.reshaped(interp, site))
    if name == "repeat":
        return replace(array, rank=numpy_ranks.repeated(array.rank, site, 1))
    if name in _RESHAPING_METHODS:
        return replace(array, rank=numpy_ranks.rearranged(interp, name, array.rank, site))
    found = reduced(interp, name, array, replace(site, args=(Arg(array), *site.args)))
    if found is not None:
        return found
    if name in ("argmax", "argmin"):
        whole = replace(site, args=(Arg(array), *site.args))
        return Array("int64", numpy_ranks.reduced(interp, name, array.rank, whole))
    if name in ("argsort", "searchsorted"):
        return numpy_ranks.places(interp, name, replace(site, args=(Arg(array), *site.args)))
    if name in ("item", "tolist"):
        return numpy_types.as_python(array, listed=name == "tolist")
    if name == "dot":
        other = without_none(site.args[0].value) if site.args else UNKNOWN
        return Array(data_types.common(interp, [array, other]), None, array.trail)
    if name in ("any", "all"):
        return Array("bool", None)
    return UNKNOWN
