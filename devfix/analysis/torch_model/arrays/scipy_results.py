"""What functions of SciPy give: distributions, signals, matrices, distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import COMPLEX_OF, FLOATS
from devfix.analysis.domain.values import UNKNOWN, Array, TupleValue, Value, without_none
from devfix.analysis.torch_model.arrays import data_types, numpy_results, numpy_types, sparse_matrices
from devfix.analysis.torch_model.tensors import host_memory

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: Functions of distributions that compute in float64, whatever they are given.
_DENSITIES = frozenset("pdf cdf ppf sf isf logpdf logcdf logsf pmf logpmf".split())
#: What draws from distributions give when they are told how many.
_CONTINUOUS = frozenset(
    "norm uniform truncnorm beta gamma expon laplace lognorm t cauchy chi2 pareto weibull_min halfnorm gumbel_r "
    "logistic levy_stable vonmises multivariate_normal dirichlet".split()
)
#: Distributions of vectors, which have one density each.
_OF_VECTORS = frozenset(("multivariate_normal", "multivariate_t", "dirichlet", "wishart", "multinomial"))
_DISCRETE = frozenset("poisson binom bernoulli randint geom nbinom hypergeom zipf".split())
#: Functions of one array: floats as wide as those that are given.
_FLOATING = {
    "scipy.stats": frozenset("zscore".split()),
    "scipy.signal": frozenset("resample resample_poly savgol_filter detrend decimate".split()),
}
#: Functions of several arrays, with how many of the first ones decide.
_TOGETHER = {
    **dict.fromkeys((f"scipy.signal.{name}" for name in ("lfilter", "filtfilt")), 3),
    **dict.fromkeys((f"scipy.signal.{name}" for name in ("sosfilt", "sosfiltfilt")), 2),
    **dict.fromkeys(
        (f"scipy.signal.{name}" for name in "convolve convolve2d correlate correlate2d fftconvolve oaconvolve".split()),
        2,
    ),
}  # fmt: skip
_AS_GIVEN = frozenset(
    ("scipy.signal.medfilt", "scipy.signal.medfilt2d", "scipy.linalg.circulant", "scipy.linalg.toeplitz")
)
#: Functions that compute in float64, whatever they are given, with the rank of what they give.
_FLOAT64 = {
    "scipy.spatial.distance.cdist": 2,
    "scipy.spatial.distance.pdist": 1,
    "scipy.spatial.distance_matrix": 2,
    "scipy.signal.get_window": 1,
    "scipy.ndimage.distance_transform_edt": None,
    "scipy.integrate.odeint": 2,
    "scipy.linalg.hilbert": 2,
    "scipy.signal.windows.dpss": None,
}
_FORMS = frozenset(("output", "return_indices", "full_output", "sampling_rate", "return_ratios"))


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``scipy.name(...)``; None for what is not known here."""
    found = _known(interp, name, site)
    if found is not None and host_memory.converts(name):
        host_memory.check(interp, name, site)
    return found


def _known(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    package, _, last = name.rpartition(".")
    if package == "scipy.sparse":
        return sparse_matrices.call(interp, last, site)
    if package == "scipy.sparse.csgraph":
        return sparse_matrices.graph(interp, last, site)
    if package.startswith("scipy.stats."):
        return _of_distribution(interp, package.rpartition(".")[2], last, site)
    if name in _FLOAT64 or package == "scipy.signal.windows":
        if site.open or site.keywords.keys() & _FORMS:
            return UNKNOWN
        return Array("float64", _FLOAT64.get(name, 1), (interp.site("array", site.node),))
    if name == "scipy.signal.butter":
        other = site.open or len(site.args) > 4 or "output" in site.keywords
        return UNKNOWN if other else TupleValue((Array("float64", 1), Array("float64", 1)))
    return _of_arrays(interp, name, package, last, site)


def _of_distribution(interp: Interpreter, kind: str, last: str, site: CallSite) -> Value | None:
    trail = (interp.site("array", site.node),)
    if last in _DENSITIES:
        given = without_none(site.args[0].value) if site.args else UNKNOWN
        rank = given.rank if isinstance(given, Array) and kind not in _OF_VECTORS else None
        return Array("float64", rank, trail) if isinstance(given, Array) else UNKNOWN
    if last != "rvs" or "size" not in site.keywords:
        return None
    dtype = "float64" if kind in _CONTINUOUS else "int64" if kind in _DISCRETE else None
    return Array(dtype, None, trail)


def _of_arrays(interp: Interpreter, name: str, package: str, last: str, site: CallSite) -> Value | None:
    many = _TOGETHER.get(name)
    if many is not None:
        dtype = data_types.common(interp, [arg.value for arg in site.args[:many]])
        whole = len(site.args) >= many and not site.open
        return Array(dtype if whole and dtype in FLOATS else None, None, (interp.site("array", site.node),))
    given = without_none(site.args[0].value) if site.args else UNKNOWN
    if isinstance(given, Array):
        if last in _FLOATING.get(package, ()):
            if last == "resample" and site.value(2, "t") is not None:
                return UNKNOWN  # the places of the samples come with them
            return replace(given, dtype=numpy_types.floating(given.dtype))
        if name in _AS_GIVEN:
            return replace(given, rank=None) if len(site.args) == 1 else UNKNOWN
        if name == "scipy.signal.hilbert":
            return replace(given, dtype=COMPLEX_OF.get(given.dtype or ""))
        if name == "scipy.linalg.block_diag":
            return replace(given, dtype=data_types.common(interp, [arg.value for arg in site.args]), rank=2)
    return numpy_results.call(interp, name, site)
