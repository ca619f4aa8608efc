"""What follows from an array in functions of NumPy, and of SciPy's that are like them: linear algebra, sets, pieces, indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, COMPLEX_OF, REAL_OF, rank_of_broadcast
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Const,
    DTypeValue,
    Scalar,
    Sequence,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays import applied, data_types, numpy_ranks, numpy_types
from devfix.analysis.torch_model.tensors.arguments import dtype_of, nesting

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What has the array's dtype; and what has floats as wide, whatever it is.
_AS_GIVEN = frozenset(
    "partition trim_zeros rollaxis fix insert piecewise ediff1d setdiff1d sliding_window_view".split()
)
_FLOATS = frozenset("gradient heaviside unwrap".split())
#: Dtypes of several arrays together: what lays the values of both out in a row, and the rest.
_SETS = frozenset("intersect1d union1d setxor1d".split())
_TOGETHER = _SETS | frozenset("convolve correlate cross".split())
_INDICES = frozenset("argwhere argpartition".split())
_PIECES = frozenset("split array_split hsplit vsplit dsplit".split())
#: So many pieces are told apart.
_COUNTED = range(1, iteration.MAX_ITEMS + 1)
#: What gives int64 whatever it is given: single arrays, and tuples of two.
_GRID_INDICES = frozenset(
    "triu_indices tril_indices triu_indices_from tril_indices_from diag_indices".split()
)
#: Functions of ``numpy.linalg`` and SciPy's that give floats, with the number of results.
_LINEAR = {
    **dict.fromkeys("inv pinv solve cholesky matrix_power expm solve_triangular orth null_space".split(), 1),
    **dict.fromkeys("eigh qr".split(), 2),
    **dict.fromkeys("svd lu".split(), 3),
}
#: What makes them give fewer results.
_OTHER_FORMS = frozenset(("mode", "permute_l", "p_indices", "compute_uv", "eigvals_only", "return_rank"))
_LINEAR_PACKAGES = ("numpy.linalg", "scipy.linalg")
#: What ``unique`` gives beside the values, in this order.
_BESIDE_VALUES = ("return_index", "return_inverse", "return_counts")
#: SciPy's images and signals: what comes out has the dtype of what goes in, or floats as wide.
_IMAGES = frozenset(
    "zoom rotate shift gaussian_filter median_filter uniform_filter map_coordinates affine_transform".split()
)
_SPECIAL = frozenset("expit logit softmax log_softmax erf erfinv gamma gammaln digamma xlogy".split())


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``numpy.name(...)`` or ``scipy.package.name(...)``; None for what is not known here."""
    package, _, last = name.rpartition(".")
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(interp, site)
    arrays = [value for value in (without_none(arg.value) for arg in site.args) if isinstance(value, Array)]
    if last in _GRID_INDICES:
        return TupleValue((Array("int64", 1), Array("int64", 1)))
    if not arrays:
        return None
    if package in _LINEAR_PACKAGES and last in _LINEAR:
        return UNKNOWN if site.keywords.keys() & _OTHER_FORMS else _linear(_LINEAR[last], arrays)
    if last not in _TOGETHER and without_none(site.args[0].value) is not arrays[0]:
        return None  # where to cut is known, and not what is cut
    if package == "scipy.ndimage":
        return replace(arrays[0], rank=None) if last in _IMAGES else None
    if package == "scipy.special":
        dtype = numpy_types.floating(arrays[0].dtype)
        return replace(arrays[0], dtype=dtype) if last in _SPECIAL else None
    if package in ("numpy.fft", "scipy.fft"):
        return _spectrum(last, arrays[0])
    return _of_arrays(interp, last, arrays, site)


def _of_arrays(interp: Interpreter, last: str, arrays: list[Array], site: CallSite) -> Value | None:
    first = arrays[0]
    if last in _AS_GIVEN:
        return replace(first, rank=None)
    if last in _FLOATS:
        return replace(first, dtype=numpy_types.floating(first.dtype))
    if last in _TOGETHER:
        if site.value(None, "return_indices") not in (None, FALSE):
            return UNKNOWN  # of three
        dtype = data_types.common(interp, [arg.value for arg in site.args[:2]])
        return replace(first, dtype=dtype, rank=1 if last in _SETS else first.rank)
    if last in _INDICES:
        return Array("int64", AT_LEAST_1)
    if last in _PIECES:
        count = _pieces(interp, site)
        return (
            Sequence(first) if count not in _COUNTED else iteration.new_list(interp, (first,) * (count or 0))
        )
    if last == "trace":
        return replace(first, rank=0)
    return None


def _linear(many: int, arrays: list[Array]) -> Value:
    """Floats as wide as the widest that is given."""
    dtypes = {numpy_types.floating(array.dtype) for array in arrays}
    made = replace(arrays[0], dtype=dtypes.pop() if len(dtypes) == 1 else None, rank=AT_LEAST_1)
    return made if many == 1 else TupleValue((made,) * many)


def quantiles(interp: Interpreter, array: Array, site: CallSite) -> Array:
    """``np.quantile(x, q)``: a list of quantiles is an array of float64, which decides, where a number does not."""
    at = without_none(site.value(1, "q") or UNKNOWN)
    rank = numpy_ranks.reduced(
        interp, "median", array.rank, replace(site, args=(*site.args[:1], *site.args[2:3]))
    )
    if scalar_type(at) is not None:
        return Array(numpy_types.floating(array.dtype), rank, array.trail)
    asked = at.rank if isinstance(at, Array) else nesting(interp, at)
    wide = numpy_types.floating(at.dtype) if isinstance(at, Array) else "float64" if asked else None
    rank = rank + asked if rank is not None and asked is not None and min(rank, asked) >= 0 else None
    if wide == "float64" and asked:
        return Array(wide, rank, (interp.site("array", site.node),))
    return Array(wide if wide == array.dtype else None, rank, array.trail)


def average(interp: Interpreter, array: Array, site: CallSite) -> Array | None:
    """``np.average(x, weights=w)``: weights are an array whatever they are written as, and count in the dtype of the result.

    None for a call that gives more than that.
    """
    if site.open or site.value(3, "returned") not in (None, FALSE):
        return None
    rank = numpy_ranks.reduced(interp, "average", array.rank, site)
    array = replace(array, dtype=numpy_types.floating(array.dtype), rank=rank)
    given = site.value(2, "weights") or NONE
    if given == NONE:
        return array
    dtype = _weighed(interp, array, given)
    if dtype == array.dtype or dtype is None:
        return replace(array, dtype=dtype)
    return Array(dtype, rank, (interp.site("array", site.node),))


def _weighed(interp: Interpreter, array: Array, given: Value) -> str | None:
    """The dtype of floats that are weighed, where it is one whatever the weights turn out to be."""
    weights = without_none(given)
    own = weights.dtype if isinstance(weights, Array) else data_types.of_data(interp, weights)
    if own is None or array.dtype is None:
        return array.dtype if array.dtype == "float64" else None
    dtype = numpy_types.promoted(replace(array, rank=AT_LEAST_1), Array(own, AT_LEAST_1))
    return dtype if dtype == array.dtype or weights is given else None


def _spectrum(last: str, array: Array) -> Value | None:
    """Fourier transforms: complex numbers, or floats again."""
    if last in ("fftshift", "ifftshift"):
        return array
    wide = numpy_types.floating(array.dtype)
    if last.startswith(("irfft", "hfft")):
        return replace(array, dtype=REAL_OF.get(array.dtype or "", wide))
    if "fft" in last and not last.endswith("freq"):
        return replace(array, dtype=COMPLEX_OF.get(wide or "") if wide not in REAL_OF else wide)
    return None


def _wide(interp: Interpreter, site: CallSite) -> Value:
    """``fftfreq`` and ``polyfit`` compute in float64, whatever they are given."""
    return Array("float64", 1, (interp.site("array", site.node),))


def _stored(default: str) -> Callable[[Interpreter, CallSite], Value]:
    """Numbers out of a buffer, an iterator or a file, of this dtype unless told otherwise."""

    def read(interp: Interpreter, site: CallSite) -> Value:
        given = site.value(1, "dtype")
        dtype = default if given is None else dtype_of(given)
        return Array(dtype, AT_LEAST_1, (interp.site("array", site.node),))

    return read


def _text(interp: Interpreter, site: CallSite) -> Value:
    """``loadtxt`` and ``genfromtxt``: float64 unless told otherwise; with names, or to find out itself, who knows.

    A file with a single column has one dimension: whoever names what stands between columns has several.
    """
    given = site.value(1, "dtype")
    named = site.value(None, "names") is not None or given == NONE or site.open
    whole = site.value(None, "usecols", "unpack") is None and not named
    trail = (interp.site("array", site.node),)
    dtype = None if named else "float64" if given is None else dtype_of(given)
    separated = site.value(3, "delimiter") not in (None, NONE)
    rank = 2 if separated else AT_LEAST_1
    return Array(dtype, rank if whole and dtype is not None else None, trail)


def _grid(interp: Interpreter, site: CallSite) -> Value:
    return Array("int64", AT_LEAST_1, (interp.site("array", site.node),))


def _counted(interp: Interpreter, site: CallSite) -> Value:
    """``histogram``: how many, and the edges between."""
    trail = (interp.site("array", site.node),)
    counts = "int64" if site.value(None, "density", "weights") is None else "float64"
    given = without_none(site.args[0].value) if site.args else UNKNOWN
    edges = numpy_types.floating(given.dtype) if isinstance(given, Array) else None
    return TupleValue((Array(counts, 1, trail), Array(edges, 1, trail)))


def unique(array: Array, site: CallSite) -> Value:
    """``np.unique(x, return_counts=True)``: the values, then where each one is, which each entry is, and how often."""
    along = site.value(None, "axis") not in (None, NONE)
    values = replace(array, rank=array.rank if along else 1)
    asked = [site.value(None, key) or FALSE for key in _BESIDE_VALUES]
    if len(site.args) != 1 or site.open or not all(answer in (TRUE, FALSE) for answer in asked):
        return UNKNOWN
    flat = along or array.rank == 1  # NumPy 2 gives the entries the dimensions of what it was given
    ranks = (1, 1 if flat else None, 1)
    numbers = [Array("int64", rank) for rank, answer in zip(ranks, asked, strict=True) if answer == TRUE]
    return TupleValue((values, *numbers)) if numbers else values


def _truth(interp: Interpreter, site: CallSite) -> Value:
    """``np.all(x)``: one answer, or one for each row."""
    if site.get(1, "axis") is None:
        return Scalar("bool")
    return Array("bool", None)


def _chosen(interp: Interpreter, site: CallSite) -> Value:
    """``np.select(conditions, choices, default)``: a choice for each entry, or 0."""
    choices = iteration.exact_items(interp, site.value(1, "choicelist") or UNKNOWN)
    if not choices:
        return UNKNOWN
    values = [without_none(each) for each in (*choices, site.value(2, "default") or Const(0))]
    conditions = iteration.exact_items(interp, site.value(0, "condlist") or UNKNOWN) or (UNKNOWN,)
    rank = rank_of_broadcast([nesting(interp, without_none(value)) for value in (*conditions, *values)])
    return Array(data_types.common(interp, values), rank, (interp.site("array", site.node),))


def _contracted(interp: Interpreter, site: CallSite) -> Value:
    """``np.einsum("ij,jk->ik", a, b)``: as many dimensions as are named behind the arrow."""
    named = site.args[0].value if site.args else None
    arrays = [without_none(arg.value) for arg in site.args[1:]]
    told = named is not None and scalar_type(named) == "str" and site.value(None, "dtype", "out") is None
    if not arrays or not told or site.open:
        return UNKNOWN  # an array before the numbers of its axes, or more that decides
    if any(scalar_type(value) is not None for value in arrays):
        return UNKNOWN  # a number is as wide here as an array of it
    _, arrow, kept = (str(named.value) if isinstance(named, Const) else "").partition("->")
    rank = len("".join(kept.split())) if arrow and "." not in kept else None
    return Array(data_types.common(interp, arrays), rank, (interp.site("array", site.node),))


def _polynomial(interp: Interpreter, site: CallSite) -> Value:
    """``np.polyval(p, x)``: each coefficient is a scalar of NumPy that meets the array."""
    dtype = data_types.of_data(interp, site.value(0, "p"))
    at = without_none(site.value(1, "x") or UNKNOWN)
    if not isinstance(at, Array):
        return UNKNOWN
    return replace(at, dtype=numpy_types.promoted(Array(dtype, 0), at))


def _named_dtype(_interp: Interpreter, site: CallSite) -> Value:
    """``np.dtype("float32")``; what has fields is not known."""
    name = dtype_of(site.value(0, "dtype"))
    return DTypeValue(name) if name is not None else UNKNOWN


_HANDLERS: dict[str, Callable[[Interpreter, CallSite], Value]] = {
    "numpy.dtype": _named_dtype,
    "numpy.fft.fftfreq": _wide,
    "numpy.fft.rfftfreq": _wide,
    "numpy.polyfit": _wide,
    "numpy.frombuffer": _stored("float64"),
    "numpy.fromiter": _stored("float64"),
    "numpy.fromfile": _stored("float64"),
    "numpy.memmap": _stored("uint8"),
    **dict.fromkeys(("numpy.loadtxt", "numpy.genfromtxt"), _text),
    "numpy.indices": _grid,
    "numpy.lexsort": _grid,
    "numpy.histogram": _counted,
    "numpy.all": _truth,
    "numpy.any": _truth,
    "numpy.fromstring": _stored("float64"),
    "numpy.select": _chosen,
    "numpy.einsum": _contracted,
    "numpy.polyval": _polynomial,
    **applied.HANDLERS,
}


def _pieces(interp: Interpreter, site: CallSite) -> int | None:
    """Into how many pieces ``np.split(x, 3)`` or ``np.split(x, [10, 20])`` cuts an array."""
    asked = site.value(1, "indices_or_sections") or UNKNOWN
    if isinstance(asked, Const) and isinstance(asked.value, int):
        return asked.value
    cuts = iteration.exact_items(interp, asked)
    return len(cuts) + 1 if cuts is not None else None
