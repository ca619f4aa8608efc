"""How many dimensions a draw of a distribution has: those of the asked shape, and those of its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, rank_of_broadcast
from devfix.analysis.domain.values import Const, Obj, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.iteration import exact_items
from devfix.analysis.torch_model.tensors.ranks import Rank, less

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Distributions that expand their parameters to one shape, as torch's own code says (``broadcast_all``): a number beside
#: a vector is a vector then. ``Binomial`` and ``NegativeBinomial`` are none: one parameter follows the other's device.
EXPANDING = frozenset(
    "Normal LogNormal Laplace Cauchy Gumbel StudentT Gamma Beta Uniform FisherSnedecor Pareto Weibull Kumaraswamy "
    "VonMises InverseGamma GeneralizedPareto".split()
)
#: Distributions of single numbers, and of rows, that have one parameter: what is drawn has its shape.
_OF_ONE = frozenset(
    "Bernoulli ContinuousBernoulli Exponential Geometric HalfCauchy HalfNormal Poisson Chi2 Dirichlet "
    "OneHotCategorical OneHotCategoricalStraightThrough".split()
)
#: What has numbers for parameters, and draws matrices.
_OF_MATRICES = "LKJCholesky"
#: What chooses one entry of each row.
_CHOOSING = "Categorical"
#: How a mixture calls what it chooses from, along the last dimension.
COMPONENTS = "component_distribution"


def of_parameters(site: CallSite, name: str, seen: Rank) -> Rank:
    """The rank of the parameters that a distribution is made of, expanded to one shape; ``seen`` is that of one of them."""
    if name == _OF_MATRICES:
        return AT_LEAST_1
    if name not in EXPANDING:
        return seen
    return AT_LEAST_1 if site.open else rank_of_broadcast([_rank(arg.value) for arg in site.all_args()])


def of_draw(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Rank:
    """The rank of what ``sample``, ``rsample`` and ``sample_n`` draw."""
    own, front = _of_one_draw(obj), _in_front(interp, name, site)
    if front == 0:
        return own
    if front is None or own is None or own < 0:
        return AT_LEAST_1
    return own + front


def _of_one_draw(obj: Obj) -> Rank:
    """The rank of what is drawn once."""
    rank = obj.place.rank if obj.place is not None else None
    name = getattr(obj.cls, "name", "").rpartition(".")[2]
    if name == _CHOOSING:
        return less(rank, 1)
    exact = name in EXPANDING or name in _OF_ONE
    if COMPONENTS in obj.facts:
        return less(rank, 1) if exact else None
    return rank if exact or rank in (0, None) else AT_LEAST_1


def _in_front(interp: Interpreter, name: str, site: CallSite) -> int | None:
    """How many dimensions the asked shape has, where the call tells."""
    given = site.value(0, "sample_shape", "n")
    if given is None:
        return None if site.open else 0
    if name == "sample_n":
        return 1
    items = exact_items(interp, without_none(given))
    return len(items) if items is not None else None


def _rank(value: Value) -> Rank:
    value = without_none(value)
    if isinstance(value, Tensor):
        return value.rank
    return 0 if isinstance(value, Const) or scalar_type(value) is not None else None
