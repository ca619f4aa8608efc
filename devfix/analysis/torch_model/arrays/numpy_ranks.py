"""Ranks of arrays: how many dimensions NumPy's functions leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, rank_of_stack
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    UNKNOWN,
    Array,
    Ref,
    TupleValue,
    Unknown,
    Value,
    without_none,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.iteration import exact_items
from devfix.analysis.torch_model.arrays import data_types, table_types
from devfix.analysis.torch_model.tensors.arguments import nesting, size_rank

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Functions whose second argument is no axis.
_OTHERWISE = frozenset("average searchsorted take digitize".split())


#: What stacking makes of arrays at least.
_LEAST = {"hstack": 1, "concatenate": 1, "vstack": 2, "row_stack": 2, "column_stack": 2, "dstack": 3}


def joined(last: str, ranks: list[int | None]) -> int | None:
    """What ``stack``, ``concatenate``, ``hstack`` and the like make of arrays of these ranks, which agree."""
    known = next((rank for rank in ranks if rank is not None and rank >= 0), None)
    if last == "stack":
        return AT_LEAST_1 if known is None else known + 1
    return AT_LEAST_1 if known is None else max(known, _LEAST[last])


def reduced(interp: Interpreter, last: str, rank: int | None, site: CallSite) -> int | None:
    """What a reduction leaves of an array, the first argument, of this rank."""
    axis = site.keywords.get("axis") if last in _OTHERWISE else site.get(1, "axis")
    kept = site.keywords.get("keepdims")
    if site.open or (kept is not None and kept.value != FALSE) or (last in _OTHERWISE and axis is None):
        return rank if kept is not None and not site.open else None
    if axis is None or axis.value == NONE:
        return 0
    axes = without_none(axis.value)
    items = exact_items(interp, axes)
    count = 1 if scalar_type(axes) == "int" else len(items) if items else None
    if rank == AT_LEAST_1 and count == 1 and _holds_arrays(interp, site):
        return AT_LEAST_1
    if rank is None or rank == AT_LEAST_1 or count is None:
        return None
    return max(0, rank - count)


def _holds_arrays(interp: Interpreter, site: CallSite) -> bool:
    """Whether what is reduced is a list of arrays with dimensions of their own: along one axis those stay."""
    held = data_types.contents(interp, without_none(site.args[0].value)) if site.args else ()
    return bool(held) and all(isinstance(each, Array) and each.rank not in (0, None) for each in held)


#: Functions that give one place, or number of places, for all of an array, or for each row of it.
_REDUCING = frozenset("argmax argmin nanargmax nanargmin count_nonzero".split())
#: Functions that give the place of each of some values in an order, with which argument those are.
_LOOKED_UP = {"digitize": (0, "x"), "searchsorted": (1, "v")}


def places(interp: Interpreter, last: str, site: CallSite) -> Value:
    """What a function gives that finds places: one for one value, and nobody knows how many for what nobody knows."""
    if last in _REDUCING:
        array = site.args[0].value if site.args else UNKNOWN
        return Array("int64", reduced(interp, last, array.rank if isinstance(array, Array) else None, site))
    if last not in _LOOKED_UP:
        return Array("int64", None)
    rank = _rank_of(interp, site.value(*_LOOKED_UP[last]) or UNKNOWN)
    return Array("int64", rank) if rank is not None else UNKNOWN


def _rank_of(interp: Interpreter, data: Value) -> int | None:
    """How many dimensions data has as an array; a table of pandas is one, too."""
    table = table_types.of(interp, data)
    if table is not None:
        return 1 if table_types.is_single(table) else AT_LEAST_1
    return nesting(interp, data)


def reshaped(interp: Interpreter, site: CallSite) -> int | None:
    """What ``array.reshape(2, 3)`` and ``np.reshape(array, (2, 3))`` make: as many dimensions as sizes."""
    if site.open or site.keywords:
        return AT_LEAST_1
    rank = size_rank(interp, list(site.args))
    return rank if rank is not None else AT_LEAST_1


def rearranged(interp: Interpreter, last: str, rank: int | None, site: CallSite) -> int | None:
    """What a function leaves of an array of this rank that takes parts of it out, or puts it into a larger one."""
    if last in ("diag", "diagonal"):
        beside = 1 if last == "diag" and rank == 1 else -1
        return rank + beside if rank is not None and rank + beside > 0 else AT_LEAST_1
    if last.startswith("atleast_"):
        least = int(last.removeprefix("atleast_")[0])
        return AT_LEAST_1 if rank is None or rank == AT_LEAST_1 or len(site.args) != 1 else max(rank, least)
    if last == "delete":
        axis = site.value(2, "axis")
        if site.open or rank is None:
            return AT_LEAST_1
        return 1 if axis in (None, NONE) else rank if scalar_type(axis) == "int" else AT_LEAST_1
    if last == "broadcast_to":
        return size_rank(interp, list(site.args[1:2]))
    if last == "pad":
        return rank
    return 1 if last in ("ravel", "unique") else None


def of_records(dtype: Value, rank: int | None) -> int | None:
    """The rank of data whose dtype may have fields, as ``[("a", float)]`` has: a tuple is one record then."""
    return AT_LEAST_1 if isinstance(dtype, (Ref, TupleValue, Unknown)) and rank not in (0, 1) else rank


def repeated(rank: int | None, site: CallSite, position: int) -> int | None:
    """What ``repeat`` leaves: without an axis, argument ``position``, one dimension."""
    axis = site.get(position, "axis")
    if site.open:
        return None
    return 1 if axis is None or axis.value == NONE else rank


def expanded(rank: int | None, site: CallSite) -> int | None:
    """What ``np.expand_dims`` gives: one dimension more for an axis that is a number."""
    axis = site.value(1, "axis")
    one = axis is not None and scalar_type(axis) == "int"
    return rank_of_stack(rank) if one else AT_LEAST_1
