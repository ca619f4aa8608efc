"""``numpy.random``: what its functions and the methods of its generators draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import NONE, UNKNOWN, Array, Scalar, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays import data_types
from devfix.analysis.torch_model.tensors.arguments import dtype_of, nesting, size_rank

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_RANDOM_FLOATS = frozenset(
    "rand randn random random_sample ranf sample normal uniform standard_normal beta gamma exponential laplace "
    "multivariate_normal dirichlet lognormal chisquare gumbel logistic triangular vonmises weibull rayleigh "
    "standard_gamma standard_exponential standard_cauchy standard_t pareto power wald".split()
)
_RANDOM_INTEGERS = frozenset(
    "randint integers poisson binomial geometric multinomial random_integers".split()
)
#: Where the size stands among the positional arguments.
_SIZES = {
    "uniform": 2, "normal": 2, "randint": 2, "integers": 2, "beta": 2, "gamma": 2, "poisson": 1, "binomial": 2,
    "random": 0, "random_sample": 0, "standard_normal": 0, "exponential": 1, "laplace": 2, "lognormal": 2,
}  # fmt: skip


def draw(interp: Interpreter, last: str, site: CallSite) -> Value:
    """``np.random.…`` and the methods of its generators: float64 or int64."""
    if last in _RANDOM_FLOATS:
        return _random_array(interp, last, site, "float64")
    if last in _RANDOM_INTEGERS:
        return _random_array(interp, last, site, "int64")
    if last in ("choice", "permutation"):
        return _chosen(interp, last, site)
    return NONE if last in ("seed", "shuffle") else UNKNOWN


def _chosen(interp: Interpreter, last: str, site: CallSite) -> Value:
    """``choice(n, size)`` and ``permutation(n)`` give integers, or items of an array."""
    source = without_none(site.args[0].value) if site.args else UNKNOWN
    trail = (interp.site("array", site.node),)
    dtype = data_types.of_data(interp, source)
    if last == "permutation":
        return Array(dtype, source.rank if isinstance(source, Array) else 1, trail)
    size = site.get(1, "size")
    if size is None or size.value == NONE:
        return _one_chosen(interp, source, dtype, site)
    return Array(dtype, size_rank(interp, [size]), trail)


def _one_chosen(interp: Interpreter, source: Value, dtype: str | None, site: CallSite) -> Value:
    """An item of what is chosen from, which is a scalar of NumPy where that is a list of numbers."""
    rank = nesting(interp, source)
    # Whoever chooses below a count gets a number of Python or one of NumPy, as the generator has it.
    if dtype is None or rank == 0 or site.open:
        return UNKNOWN
    inner = rank - 1 if rank is not None and rank != AT_LEAST_1 else None
    return Array(dtype, inner, (interp.site("array", site.node),))


def _random_array(interp: Interpreter, last: str, site: CallSite, dtype: str) -> Value:
    trail = (interp.site("array", site.node),)
    if last in ("rand", "randn"):
        if not site.args:
            return Scalar("float")
        return Array(dtype, len(site.args) if not site.open else AT_LEAST_1, trail)
    given = site.keywords.get("dtype")
    dtype_name = dtype_of(given.value) if given is not None else dtype
    size = site.keywords.get("size")
    position = _SIZES.get(last)
    if size is None and position is not None and position < len(site.args):
        size = site.args[position]
    if size is not None and size.value != NONE:
        return Array(dtype_name, size_rank(interp, [size]), trail)
    arrays = [a.value for a in site.args if isinstance(a.value, Array) and a.value.rank != 0]
    if arrays:
        return Array(dtype_name, arrays[0].rank, trail)
    # A number of NumPy's makes none of the result.
    numbers = [isinstance(a.value, Array) or scalar_type(a.value) is not None for a in site.args]
    if position is not None and all(numbers):
        return Scalar("float" if dtype == "float64" else "int")
    return Array(dtype_name, None, trail)
