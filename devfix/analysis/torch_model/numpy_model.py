"""NumPy: arrays with dtypes, and what happens when an accelerator's tensor gets there."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis import iteration
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.join import scalar_type
from devfix.analysis.lattice import AT_LEAST_1, rank_of_broadcast
from devfix.analysis.torch_model import requirements
from devfix.analysis.torch_model.arguments import dtype_of, nesting, size_rank
from devfix.analysis.torch_model.requirements import Part
from devfix.analysis.values import (
    NONE,
    UNKNOWN,
    Array,
    External,
    Obj,
    Scalar,
    Sequence,
    Tensor,
    Value,
    without_none,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_FLOAT_FACTORIES = frozenset("zeros ones empty eye identity linspace logspace geomspace".split())
_LIKE = frozenset("zeros_like ones_like empty_like full_like".split())
_RANDOM_FLOATS = frozenset(
    "rand randn random random_sample normal uniform standard_normal beta gamma exponential laplace "
    "multivariate_normal dirichlet lognormal chisquare gumbel logistic triangular vonmises weibull".split()
)
_RANDOM_INTEGERS = frozenset("randint integers permutation poisson binomial geometric multinomial".split())
_KEEPING = frozenset(
    "abs negative clip maximum minimum where transpose reshape flip roll sort copy ravel squeeze expand_dims "
    "repeat tile pad diff round floor ceil sign cumsum cumprod square swapaxes moveaxis flipud fliplr rot90 "
    "ascontiguousarray atleast_1d atleast_2d unique concatenate stack vstack hstack append column_stack delete "
    "nan_to_num fft resize triu tril diag outer take broadcast_to insert interp".split()
)
_FLOATING = frozenset(
    "exp log log2 log10 log1p expm1 sqrt sin cos tan tanh sinh cosh arctan arctan2 arcsin arccos power hypot "
    "true_divide divide".split()
)
_REDUCING = frozenset(
    "mean std var median average sum prod max min amax amin percentile quantile nanmean".split()
)
_INDICES = frozenset(
    "argmax argmin argsort searchsorted nonzero flatnonzero bincount digitize count_nonzero".split()
)
#: Functions of the form of the data that say nothing about its rank.
_RESHAPING = frozenset("reshape expand_dims squeeze concatenate append delete take resize insert repeat tile".split())
_JOINING = frozenset("concatenate stack vstack hstack column_stack dstack".split())
#: Generators: ``RandomState``, ``default_rng``.
RNG = "numpy.random.Generator"


def call(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``numpy.…(…)``."""
    last = name.rpartition(".")[2]
    if last in ("RandomState", "default_rng", "Generator"):
        return interp.new(Obj("external", External(RNG)))
    if last in ("seed", "set_printoptions", "seterr"):
        return NONE
    check_host(interp, name, site)
    if last in ("array", "asarray", "asanyarray", "ascontiguousarray"):
        return _array(interp, site)
    if name.startswith("numpy.random"):
        return random(interp, last, site)
    if last in _FLOAT_FACTORIES:
        return _made(interp, site, "float64", _factory_rank(interp, last, site))
    if last == "full":
        return _made(
            interp,
            site,
            _data_dtype(interp, site.value(1, "fill_value")),
            size_rank(interp, list(site.args[:1])),
        )
    if last == "arange":
        kinds = {scalar_type(arg.value) for arg in site.args}
        dtype = "float64" if "float" in kinds else "int64" if kinds <= {"int"} else None
        return _made(interp, site, dtype, 1)
    return _computed(interp, last, site)


def _factory_rank(interp: Interpreter, last: str, site: CallSite) -> int | None:
    if last in ("linspace", "logspace", "geomspace"):
        return 1
    return 2 if last in ("eye", "identity") else size_rank(interp, list(site.args[:1]))


def _made(interp: Interpreter, site: CallSite, dtype: str | None, rank: int | None) -> Array:
    given = site.get(None, "dtype")
    if given is None and len(site.args) > 1 and dtype_of(site.args[1].value) and dtype == "float64":
        given = site.args[1]
    if given is not None and given.value != NONE:
        dtype = dtype_of(given.value)
    return Array(dtype, rank, (interp.site("numpy", site.node),))


def _array(interp: Interpreter, site: CallSite) -> Value:
    """``np.array(data)``: Python floats become float64."""
    data = without_none(site.args[0].value) if site.args else UNKNOWN
    given = site.get(1, "dtype")
    if isinstance(data, Array) and given is None:
        return data
    return _made(interp, site, _data_dtype(interp, data), nesting(interp, data))


def _data_dtype(interp: Interpreter, value: Value | None) -> str | None:
    """The dtype NumPy gives to Python data."""
    if value is None:
        return None
    value = without_none(value)
    kind = scalar_type(value)
    if kind is not None:
        return {"bool": "bool", "int": "int64", "float": "float64"}.get(kind)
    if isinstance(value, (Array, Tensor)):
        return value.dtype
    items = iteration.exact_items(interp, value)
    if items is None:
        obj = interp.obj_of(value)
        element = value.element if isinstance(value, Sequence) else obj.element if obj else None
        items = (element,) if element is not None else ()
    found = {_data_dtype(interp, item) for item in items}
    if len(found) == 1:
        return found.pop()
    return "float64" if found and found <= {"int64", "float64", "bool"} else None


def random(interp: Interpreter, last: str, site: CallSite) -> Value:
    """``np.random.…`` and the methods of its generators: float64 or int64."""
    sized = bool(site.args or site.keywords)
    if last in _RANDOM_FLOATS:
        return _random_array(interp, last, site, "float64")
    if last in _RANDOM_INTEGERS:
        return _random_array(interp, last, site, "int64")
    if last == "choice":
        return Array(None, None, (interp.site("numpy", site.node),)) if sized else UNKNOWN
    return NONE if last in ("seed", "shuffle") else UNKNOWN


def _random_array(interp: Interpreter, last: str, site: CallSite, dtype: str) -> Value:
    size = site.keywords.get("size")
    if last in ("rand", "randn"):
        if not site.args:
            return Scalar("float")
        return _made(interp, site, dtype, len(site.args) if not site.open else AT_LEAST_1)
    positions = {"uniform": 2, "normal": 2, "randint": 2, "integers": 2, "beta": 2, "gamma": 2, "poisson": 1,
                 "binomial": 2, "random": 0, "random_sample": 0, "standard_normal": 0, "exponential": 1}  # fmt: skip
    if size is None and last in positions and positions[last] < len(site.args):
        size = site.args[positions[last]]
    if size is None:
        arrays = [a.value for a in site.args if isinstance(a.value, Array)]
        if arrays:
            return _made(interp, replace(site, args=()), dtype, arrays[0].rank)
        known = all(scalar_type(a.value) is not None for a in site.args)
        return (
            Scalar("float" if dtype == "float64" else "int")
            if known and last != "permutation"
            else Array(dtype, None)
        )
    given = site.keywords.get("dtype")
    dtype_name = dtype_of(given.value) if given is not None else dtype
    return Array(dtype_name, size_rank(interp, [size]), (interp.site("numpy", site.node),))


def _computed(interp: Interpreter, last: str, site: CallSite) -> Value:
    arrays = _arrays(interp, site)
    if last in _LIKE and arrays:
        return _made(interp, replace(site, args=()), arrays[0].dtype, arrays[0].rank)
    if not arrays:
        return UNKNOWN
    trail = arrays[0].trail
    dtypes = {array.dtype for array in arrays}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    rank = rank_of_broadcast([array.rank for array in arrays])
    if last in _JOINING:
        dtype = dtype or _joined(arrays)
        return Array(dtype, AT_LEAST_1, trail)
    if last in _KEEPING:
        return Array(dtype, rank if last not in ("reshape", "expand_dims", "squeeze") else None, trail)
    if last in _FLOATING:
        floating = dtype if dtype is None or dtype.startswith("float") else "float64"
        return Array(floating, rank, trail)
    if last in _REDUCING:
        return _reduced(last, replace(arrays[0], dtype=dtype), site)
    if last in _INDICES:
        return Array("int64", None)
    return UNKNOWN


def _joined(arrays: list[Array]) -> str | None:
    names = {array.dtype for array in arrays}
    return "float64" if None not in names and "float64" in names else None


def _reduced(last: str, array: Array, site: CallSite) -> Value:
    dtype = array.dtype
    if last in ("mean", "std", "var", "median", "average") and dtype is not None:
        dtype = dtype if dtype.startswith("float") else "float64"
    axis = site.get(1, "axis")
    rank = 0 if axis is None or axis.value == NONE else None
    return Array(dtype, rank, array.trail)


def _arrays(interp: Interpreter, site: CallSite) -> list[Array]:
    found: list[Array] = []
    for arg in site.args[:3]:
        value = without_none(arg.value)
        if isinstance(value, Array):
            found.append(value)
            continue
        items = iteration.exact_items(interp, value)
        if items is None:
            obj = interp.obj_of(value)
            items = (obj.element,) if obj is not None and obj.kind == "list" and obj.element else ()
        found.extend(item for item in items if isinstance(item, Array))
    return found


def check_host(interp: Interpreter, name: str, site: CallSite) -> None:
    """NumPy cannot read an accelerator's memory (facts: "np.array on cuda", "list of cuda scalars")."""
    for arg in site.all_args():
        for tensor, node, inside in _device_tensors(interp, arg):
            detail = {"grad": "1"} if tensor.grad else {}
            if inside:
                detail["inside"] = inside
            requirements.record(interp, site.node, name, "numpy", [Part(tensor, "array", node)], **detail)


def _device_tensors(interp: Interpreter, arg: Arg) -> list[tuple[Tensor, ast.expr | None, str]]:
    """An accelerator's tensors among an argument, where each is written, and how it is contained.

    ``all``: everything in the list or tuple is a tensor; ``mixed``: not so.
    """
    value = without_none(arg.value)
    if isinstance(value, Tensor):
        return [(value, arg.node, "")] if value.device.is_accelerator else []
    items = iteration.exact_items(interp, value)
    obj = interp.obj_of(value)
    if items is None:
        element = value.element if isinstance(value, Sequence) else obj.element if obj else None
        items = (*(obj.items or () if obj else ()), *((element,) if element is not None else ()))
    if obj is not None and obj.kind != "list":
        return []
    node = arg.node
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == len(items):
        pairs = zip(items, node.elts, strict=True)
        return [(item, where, "") for item, where in pairs if _on_device(item)]
    found = next((item for item in items if _on_device(item)), None)
    if not isinstance(found, Tensor):
        return []
    return [(found, node, "all" if all(isinstance(item, Tensor) for item in items) else "mixed")]


def _on_device(value: Value) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.device.is_accelerator


def method(interp: Interpreter, array: Array, name: str, site: CallSite) -> Value:
    """``array.name(...)``."""
    if name == "astype":
        given = site.value(0, "dtype")
        return Array(dtype_of(given), array.rank, (interp.site("cast", site.node),))
    if name in (
        "reshape",
        "transpose",
        "flatten",
        "ravel",
        "copy",
        "clip",
        "repeat",
        "squeeze",
        "round",
        "cumsum",
        "swapaxes",
    ):
        rank = 1 if name in ("flatten", "ravel") else AT_LEAST_1 if name == "reshape" else array.rank
        return replace(array, rank=rank)
    if name in _REDUCING:
        return _reduced(name, array, replace(site, args=(Arg(array), *site.args)))
    if name in ("argmax", "argmin", "argsort", "nonzero"):
        return Array("int64", None)
    if name == "tolist":
        return UNKNOWN
    if name == "item":
        return Scalar("float" if (array.dtype or "float").startswith("float") else "int")
    if name == "dot":
        return Array(array.dtype, None, array.trail)
    return UNKNOWN


def rng_method(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A method of a NumPy random generator."""
    return random(interp, name, site)
