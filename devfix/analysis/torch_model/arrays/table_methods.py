"""Methods of tables of pandas: the dtypes of what they give."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import FLOATS
from devfix.analysis.domain.values import FALSE, NONE, TRUE, UNKNOWN, Array, Const, Obj, Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays import (
    numpy_types,
    table_dates,
    table_gaps,
    table_types,
    table_windows,
    tables,
)
from devfix.analysis.torch_model.tensors.arguments import dtype_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Methods that give a table with the same columns; those that give some of them, or call them otherwise.
_KEEPING = frozenset(
    "abs bfill copy drop_duplicates dropna ffill fillna head infer_objects interpolate nlargest nsmallest query round "
    "sample sort_index sort_values tail truncate".split()
)
_SELECTING = frozenset("drop explode filter rename set_axis set_index squeeze to_frame transpose xs".split())
#: Methods that make a table of a single column.
_FRAMING = frozenset(("to_frame", "unstack"))
#: Methods that put other entries in the place of some, with the arguments that tell them.
_REPLACING = {"clip": ((0, "lower"), (1, "upper")), "where": ((1, "other"),), "mask": ((1, "other"),)}
_AVERAGES = frozenset("mean std var median sem skew kurt quantile".split())
_TOTALS = frozenset(("prod", "sum"))
_REDUCING = frozenset(("max", "min")) | _TOTALS | _AVERAGES
_TRUTHS = frozenset("isna isnull notna notnull isin between duplicated eq ne lt le gt ge".split())
_AXES = (None, Const(0), Const(1), Const("index"), Const("columns"))
_OPERATORS: dict[str, ast.operator] = {
    **dict.fromkeys(("add", "radd"), ast.Add()),
    **dict.fromkeys(("sub", "rsub", "subtract"), ast.Sub()),
    **dict.fromkeys(("mul", "rmul", "multiply"), ast.Mult()),
    **dict.fromkeys(("div", "rdiv", "truediv", "rtruediv", "divide"), ast.Div()),
    **dict.fromkeys(("floordiv", "rfloordiv"), ast.FloorDiv()),
    **dict.fromkeys(("pow", "rpow"), ast.Pow()),
}


def _method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``table.to_numpy()``; much of what a table does gives another table with such columns."""
    if site.value(None, "inplace") not in (None, FALSE):
        return _in_place(interp, ref, name, site)
    own = _OWN.get(name)
    if own is not None:
        return own(interp, ref, obj, site)
    if name in _KEEPING:
        return interp.new(obj)
    if name in table_windows.OPENING:
        return table_windows.opened(interp, interp.new(obj))
    if name in _SELECTING:
        return _selected(interp, obj, name)
    if name in _REDUCING:
        return _reduced(interp, obj, name, site)
    if name in _TRUTHS:
        return table_types.changed(interp, obj, lambda _dtype: "bool")
    if name in _OPERATORS and site.args:
        return table_types.arithmetic(interp, _OPERATORS[name], ref, site.args[0].value) or UNKNOWN
    return _computed(interp, obj, name, site)


def _computed(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    given = [value for each in _REPLACING.get(name, ()) if (value := site.value(*each)) not in (None, NONE)]
    if given or name == "clip":
        return table_types.changed(interp, obj, lambda dtype: _beside(dtype, given))
    if name in table_gaps.NAMES:
        made = table_gaps.called(interp, obj, name, site)
        return table_types.some(interp, interp.obj(made)) if name in _FRAMING else made
    if name in ("cumprod", "cumsum"):
        return table_types.changed(interp, obj, table_types.summed)
    if name == "pct_change":
        return table_types.changed(interp, obj, numpy_types.floating)
    if name == "rank" or (name in ("corr", "cov") and not table_types.is_single(obj)):
        return table_types.make(interp, "float64", single=table_types.is_single(obj))
    return UNKNOWN


def _in_place(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    """``table.drop(columns="a", inplace=True)``."""
    if name == "reset_index":
        _add_index(interp, ref, site)
    elif name in _SELECTING:
        table_types.loosen(interp, ref)
    elif name not in _KEEPING:
        table_types.forget(interp, ref)
    return NONE


def _reset_index(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    if site.value(1, "drop") == TRUE:
        return interp.new(obj)
    made = table_types.some(interp, obj)
    _add_index(interp, made, site)
    return made


def _add_index(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """The numbers or labels of the rows become a column."""
    if site.value(1, "drop") != TRUE:
        table_types.loosen(interp, ref)
        table_types.stored(interp, ref, None, "int64")


def _beside(dtype: str | None, others: list[Value]) -> str | None:
    """The dtype of a column in which other entries, or gaps, have come in the place of some."""
    if dtype in FLOATS and all(scalar_type(value) in ("int", "float") for value in others):
        return dtype
    whole = bool(others) and all(scalar_type(value) == "int" for value in others)
    return (
        dtype
        if whole or dtype == "float64"
        else table_types.with_gaps(dtype if dtype not in FLOATS else None)
    )


def _selected(interp: Interpreter, obj: Obj, name: str) -> Value:
    keeps = table_types.is_plain(obj) and name not in _FRAMING
    return interp.new(obj) if keeps else table_types.some(interp, obj)


def _reduced(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    """The mean of a column is a number, that of a table a column; a quantile of float32 is neither for certain."""
    axis = site.value(1 if name == "quantile" else 0, "axis")
    if axis not in _AXES or site.open or "level" in site.keywords:
        return UNKNOWN
    made = interp.obj(table_types.changed(interp, obj, lambda dtype: _reduced_type(dtype, name)))
    dtype = table_types.whole(made)
    several = name == "quantile" and scalar_type(site.value(0, "q") or Const(0.5)) not in ("int", "float")
    if not table_types.is_single(obj) or several:
        return table_types.make(interp, dtype, single=not several)
    return Array(dtype, 0, (interp.site("array", site.node),))


def _reduced_type(dtype: str | None, name: str) -> str | None:
    if name in _TOTALS:
        return table_types.summed(dtype)
    if name in _AVERAGES:
        dtype = numpy_types.floating(dtype)
        return None if name == "quantile" and dtype != "float64" else dtype
    return dtype


def _to_numpy(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    given = site.value(0, "dtype")
    made = tables.array(interp, obj, site.node)
    return made if given is None else Array(dtype_of(given), made.rank, made.trail)


def _insert(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    tables.store(interp, ref, site.value(1, "column") or UNKNOWN, site.value(2, "value") or UNKNOWN)
    return NONE


def _pop(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    column = tables.item(interp, ref, obj, site.value(0, "item") or UNKNOWN, site.node)
    table_types.loosen(interp, ref)
    return column


def _update(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    table_types.forget(interp, ref)
    return NONE


def _join(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    return table_types.together(interp, [ref, *(arg.value for arg in site.args[:1])])


def _cast(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    asked = site.value(0, "dtype")
    told = interp.obj_of(asked)
    if told is None or told.kind != "dict":
        return table_types.changed(interp, obj, lambda _dtype: dtype_of(asked))
    made = interp.new(obj)
    for name, dtype in told.attrs.items():
        table_types.stored(interp, made, name, dtype_of(dtype))
    if told.element is not None:
        table_types.stored(interp, made, None, dtype_of(told.element))
    return made


_OWN: dict[str, Callable[[Interpreter, Ref, Obj, CallSite], Value]] = {
    "to_numpy": _to_numpy,
    "astype": _cast,
    "insert": _insert,
    "pop": _pop,
    "update": _update,
    "reset_index": _reset_index,
    "unique": lambda interp, _ref, obj, site: tables.array(interp, obj, site.node),
    **dict.fromkeys(("join", "merge"), _join),
}
Method = Callable[["Interpreter", Ref, Obj, str, CallSite], Value]
METHODS: dict[str, Method] = {
    table_types.TABLE.name: _method,
    table_dates.INDEX.name: table_dates.method,
    table_windows.WINDOW.name: table_windows.method,
    table_dates.ACCESS.name: table_dates.asked,
}
