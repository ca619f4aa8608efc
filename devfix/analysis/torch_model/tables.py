"""Tables of pandas, and the arrays that scikit-learn makes: where the float64 in a batch comes from."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.lattice import AT_LEAST_1
from devfix.analysis.torch_model import host_memory, numpy_types
from devfix.analysis.torch_model.arguments import dtype_of
from devfix.analysis.values import (
    UNKNOWN,
    Array,
    DTypeValue,
    External,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    without_none,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

TABLE = External("pandas.DataFrame")
DATES = External("pandas.DatetimeIndex")
#: The numbers that each date has, which pandas keeps as int32.
_FIELDS = frozenset(
    "year month day hour minute second microsecond nanosecond weekday dayofweek day_of_week dayofyear day_of_year "
    "quarter days_in_month daysinmonth week weekofyear".split()
)
_SCALERS = frozenset(
    "StandardScaler MinMaxScaler MaxAbsScaler RobustScaler QuantileTransformer PowerTransformer".split()
)
_READERS = frozenset("read_csv read_table read_excel read_parquet read_feather read_hdf read_sql".split())
_TABLES = frozenset("concat merge".split())
#: Methods of tables that give something else than a table with numbers of the same types.
_OTHERS = frozenset(
    "items iterrows itertuples iteritems groupby count nunique info describe to_csv to_dict to_pickle "
    "plot tolist to_list equals isin isna isnull notna notnull duplicated pipe apply map applymap transform "
    "agg aggregate astype rolling ewm resample".split()
)


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """A function or class of pandas or scikit-learn; None for those that are not known here."""
    package, _, last = name.rpartition(".")
    if package == "pandas":
        return _table(interp, name, last, site)
    if package == "sklearn.preprocessing" and last in _SCALERS:
        return interp.new(Obj("external", External(name)))
    if name == "sklearn.model_selection.train_test_split":
        return TupleValue(tuple(part.value for part in site.args for _ in range(2)))
    if package == "sklearn.datasets" and last.startswith("make_"):
        return _made(interp, last, site)
    return None


def _table(interp: Interpreter, name: str, last: str, site: CallSite) -> Value | None:
    if last in ("DataFrame", "Series"):
        host_memory.check(interp, name, site)
        data = without_none(site.args[0].value) if site.args else UNKNOWN
        return _new(interp, data.dtype if isinstance(data, Array) else numpy_types.WIDE)
    if last in ("to_datetime", "date_range"):
        return interp.new(Obj("external", DATES))
    if last in _READERS or last in _TABLES:
        return _new(interp, numpy_types.WIDE if "dtype" not in site.keywords else None)
    return None


def _new(interp: Interpreter, dtype: str | None) -> Ref:
    return interp.new(Obj("external", TABLE, facts={"dtype": DTypeValue(dtype)}))


def _made(interp: Interpreter, last: str, site: CallSite) -> Value:
    """``make_moons(...)``: points in float64, and their classes, or what is to be predicted."""
    kinds = "float64" if last in ("make_regression", "make_swiss_roll", "make_s_curve") else "int64"
    trail = (interp.site("array", site.node),)
    items = (Array("float64", 2, trail), Array(kinds, 1, trail))
    return TupleValue(items) if not site.keywords.keys() & {"coef", "return_centers"} else UNKNOWN


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``table.values`` and the ways into a table; None for methods, and for columns."""
    if obj.cls == DATES:
        return Array("int32", 1, (interp.site("array", node),)) if name in _FIELDS else None
    if name in ("loc", "iloc", "T"):
        return ref
    if name == "shape":
        return Sequence(Scalar("int"))
    return _array(interp, obj, node) if name == "values" else None


def _array(interp: Interpreter, obj: Obj, node: ast.AST) -> Array:
    return Array(_dtype(obj), AT_LEAST_1, (interp.site("array", node),))


def _dtype(obj: Obj) -> str | None:
    return dtype_of(obj.facts.get("dtype"))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``table.to_numpy()``; most of what a table does gives another table."""
    if name == "to_numpy":
        given = site.value(0, "dtype")
        made = _array(interp, obj, site.node)
        return made if given is None else Array(dtype_of(given), made.rank, made.trail)
    if name == "astype":
        return _new(interp, dtype_of(site.value(0, "dtype")))
    return UNKNOWN if name in _OTHERS else ref


def scaled(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``scaler.fit_transform(x)``: floats as wide as those of ``x``, or float64."""
    if name in ("fit", "partial_fit"):
        return ref
    if name not in ("fit_transform", "transform", "inverse_transform"):
        return UNKNOWN
    host_memory.check(interp, f"sklearn.preprocessing.{name}", site)
    given = without_none(site.args[0].value) if site.args else UNKNOWN
    held = interp.obj_of(given)
    dtype = given.dtype if isinstance(given, (Array, Tensor)) else _dtype(held) if held is not None else None
    return Array(numpy_types.floating(dtype), AT_LEAST_1, (interp.site("array", site.node),))


Method = Callable[["Interpreter", Ref, Obj, str, CallSite], Value]
METHODS: dict[str, Method] = {
    TABLE.name: method,
    DATES.name: lambda _interp, ref, _obj, name, _site: ref if name == "isocalendar" else UNKNOWN,
    **{f"sklearn.preprocessing.{name}": scaled for name in _SCALERS},
}
