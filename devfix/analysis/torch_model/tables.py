"""Tables of pandas: where the float64 in a batch comes from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from devfix.analysis import containers, iteration
from devfix.analysis.frames import CallSite
from devfix.analysis.join import scalar_type
from devfix.analysis.lattice import AT_LEAST_1
from devfix.analysis.torch_model import host_memory, numpy_types, table_types
from devfix.analysis.torch_model.arguments import dtype_of
from devfix.analysis.values import (
    FALSE,
    NONE,
    UNKNOWN,
    Array,
    Const,
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

DATES = External("pandas.DatetimeIndex")
#: ``table.loc`` and ``table.iloc``.
PLACES = External("pandas.core.indexing")
_TABLE = "table"
CLASSES = (table_types.TABLE, DATES, PLACES)
#: The numbers that each date has, which pandas keeps as int32.
_FIELDS = frozenset(
    "year month day hour minute second microsecond nanosecond weekday dayofweek day_of_week dayofyear day_of_year "
    "quarter days_in_month daysinmonth week weekofyear".split()
)
#: What is in a text or a sheet becomes integers, float64 or objects; files of other kinds keep every dtype.
_READERS = frozenset("read_csv read_table read_fwf read_excel read_sql read_sql_query read_sql_table".split())
#: What makes them give something else than a table with such columns.
_OTHER_FORMS = frozenset("dtype_backend engine_kwargs chunksize iterator converters".split())
#: Methods that give a table with the same columns; those that give some of them, or call them otherwise.
_KEEPING = frozenset(
    "abs bfill clip copy cumprod cumsum drop_duplicates dropna ffill fillna head infer_objects interpolate max min "
    "nlargest nsmallest prod query round sample sort_index sort_values sum tail truncate".split()
)
_SELECTING = frozenset(
    "drop explode filter rename reset_index set_axis set_index squeeze to_frame transpose xs".split()
)
#: Methods that put something that is missing into a column; a float can be that.
_WITH_GAPS = frozenset("shift diff reindex where mask asof unstack pivot pivot_table".split())
_AVERAGES = frozenset("mean std var median sem skew kurt quantile".split())
_FLOAT64 = frozenset("pct_change corr cov rank".split())
_TRUTHS = frozenset("isna isnull notna notnull isin between duplicated eq ne lt le gt ge".split())
_OPERATORS: dict[str, ast.operator] = {
    **dict.fromkeys(("add", "radd"), ast.Add()),
    **dict.fromkeys(("sub", "rsub", "subtract"), ast.Sub()),
    **dict.fromkeys(("mul", "rmul", "multiply"), ast.Mult()),
    **dict.fromkeys(("div", "rdiv", "truediv", "rtruediv", "divide"), ast.Div()),
    **dict.fromkeys(("floordiv", "rfloordiv"), ast.FloorDiv()),
    **dict.fromkeys(("pow", "rpow"), ast.Pow()),
}


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """A function or class of pandas; None for those that are not known here."""
    package, _, last = name.rpartition(".")
    if package == "pandas":
        return _table(interp, name, last, site)
    return None


def _table(interp: Interpreter, name: str, last: str, site: CallSite) -> Value | None:
    if last in ("DataFrame", "Series"):
        host_memory.check(interp, name, site)
        return _new(interp, site, single=last == "Series")
    if last in ("to_datetime", "date_range"):
        return interp.new(Obj("external", DATES))
    if last in _READERS:
        return None if site.open or site.keywords.keys() & _OTHER_FORMS else _read(interp, site)
    if last == "to_numeric" and "downcast" not in site.keywords:
        return _numeric(interp, site)
    if last == "concat":
        parts = numpy_types.contents(interp, site.value(0, "objs") or UNKNOWN)
        return _put_together(interp, parts)
    return _put_together(interp, [arg.value for arg in site.args[:2]]) if last == "merge" else None


def _read(interp: Interpreter, site: CallSite) -> Value:
    """``read_csv(path, dtype=...)``: the columns have the dtypes that are asked for, or what is found in the file."""
    given = without_none(site.value(None, "dtype") or UNKNOWN)
    if "dtype" not in site.keywords:
        return table_types.make(interp, numpy_types.WIDE)
    told = interp.obj_of(given)
    if told is None or told.kind != "dict":
        return table_types.make(interp, dtype_of(given))
    others = numpy_types.WIDE if told.element is None else None
    return table_types.make(interp, others, {key: dtype_of(dtype) for key, dtype in told.attrs.items()})


def _numeric(interp: Interpreter, site: CallSite) -> Value:
    table = table_types.of(interp, site.value(0, "arg"))
    if table is None:
        return UNKNOWN
    return table_types.changed(
        interp, table, lambda dtype: dtype if dtype not in (None, "bool") else numpy_types.WIDE
    )


def _put_together(interp: Interpreter, parts: Iterable[Value]) -> Value:
    """Tables below or beside one another, with gaps that only floats can have."""
    found = [table_types.of(interp, part) for part in parts]
    known = [table_types.of_any_column(table) for table in found if table is not None]
    dtype = table_types.any_of(known) if len(known) == len(found) else None
    return table_types.make(interp, _with_gaps(dtype))


def _with_gaps(dtype: str | None) -> str | None:
    """The dtype of a column once something may be missing: integers are floats then."""
    if dtype in ("int64", numpy_types.WIDE):
        return numpy_types.WIDE
    return dtype if dtype in ("float64", "float32") else None


def _new(interp: Interpreter, site: CallSite, *, single: bool) -> Ref:
    """``DataFrame(data)``: columns of a dict or of records, one dtype of an array."""
    given = site.value(None, "dtype")
    data = without_none(site.value(0, "data") or UNKNOWN)
    obj = interp.obj_of(data)
    if given is not None and given != NONE:
        return table_types.make(interp, dtype_of(given), single=single)
    if obj is not None and obj.cls == table_types.TABLE:
        return interp.new(obj)
    if obj is not None and obj.kind == "dict" and not single:
        columns = {key: numpy_types.of_data(interp, value) for key, value in obj.attrs.items()}
        return table_types.make(interp, None, columns, closed=obj.element is None)
    if isinstance(data, (Array, Tensor)):
        return table_types.make(interp, data.dtype, single=single)
    dtype = numpy_types.of_data(interp, data)
    if not single:  # what is of one type in a column of rows need not be so in another
        dtype = table_types.any_of((dtype, "int64")) if obj is not None else None
        dtype = dtype if dtype is not None else _of_records(interp, data)
    return table_types.make(interp, dtype, single=single)


def _of_records(interp: Interpreter, data: Value) -> str | None:
    """A list of dicts of numbers: their columns are integers or float64."""
    records = [interp.obj_of(item) for item in numpy_types.contents(interp, data)]
    held = [value for obj in records if obj is not None for value in containers.everything(obj)]
    numbers = {scalar_type(without_none(value)) for value in held}
    every = all(obj is not None and obj.kind == "dict" for obj in records)
    return numpy_types.WIDE if every and numbers and numbers <= {"int", "float"} else None


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``table.values`` and the ways into a table; None for methods, and for columns that are not known."""
    if obj.cls == DATES:
        return Array("int32", 1, (interp.site("array", node),)) if name in _FIELDS else None
    if name in ("loc", "iloc", "at", "iat"):
        return interp.new(Obj("external", PLACES, facts={_TABLE: ref}))
    if name == "T":
        return ref if table_types.is_plain(obj) else _some(interp, obj)
    if name == "shape":
        return Sequence(Scalar("int"))
    if table_types.has(obj, name):
        return table_types.make(interp, table_types.column(obj, name), single=True)
    return _array(interp, obj, node) if name == "values" else None


def _array(interp: Interpreter, obj: Obj, node: ast.AST) -> Array:
    rank = 1 if table_types.is_single(obj) else AT_LEAST_1
    return Array(table_types.whole(obj), rank, (interp.site("array", node),))


def item(interp: Interpreter, ref: Ref, obj: Obj, key: Value) -> Value:
    """``table[key]``: a column, some columns or some rows; ``table.loc[rows, key]``."""
    if obj.cls == DATES:
        return ref
    if obj.cls == PLACES:
        return _placed(interp, obj.facts[_TABLE], key)
    if table_types.is_single(obj):
        return ref
    names = _names(interp, key)
    if names is None:
        return ref if table_types.is_plain(obj) or _are_rows(interp, key) else _some(interp, obj)
    if isinstance(names, str):
        return table_types.make(interp, table_types.column(obj, names), single=True)
    return table_types.make(
        interp, None, {name: table_types.column(obj, name) for name in names}, closed=True
    )


def _are_rows(interp: Interpreter, key: Value) -> bool:
    """Whether a key is a slice or a mask."""
    is_slice = isinstance(key, External) and key.name == "builtins.slice"
    return is_slice or isinstance(key, (Array, Tensor)) or table_types.of(interp, key) is not None


def _some(interp: Interpreter, obj: Obj) -> Value:
    """Nobody knows which columns: what is said holds of each, and of all together."""
    dtype = table_types.of_any_column(obj)
    return table_types.make(interp, dtype)


def _names(interp: Interpreter, key: Value) -> str | list[str] | None:
    """The columns that a key names: one, or several; None for rows, and where that is not known."""
    if isinstance(key, Const) and isinstance(key.value, str):
        return key.value
    items = iteration.exact_items(interp, key) if isinstance(key, Ref) else None
    texts = [each.value for each in items or () if isinstance(each, Const) and isinstance(each.value, str)]
    return texts if items and len(texts) == len(items) else None


def _placed(interp: Interpreter, ref: Value, key: Value) -> Value:
    table = table_types.of(interp, ref)
    if table is None or table_types.is_single(table):
        return ref
    if isinstance(key, TupleValue) and len(key.items) == 2:
        if _names(interp, key.items[1]) is not None:
            return item(interp, Ref(ref.address), table, key.items[1]) if isinstance(ref, Ref) else ref
        return _some(interp, table)
    return ref if table_types.is_plain(table) else table_types.make(interp, table_types.whole(table))


def store(interp: Interpreter, ref: Ref, key: Value, value: Value) -> None:
    """``table[key] = value``: a column has another dtype, or some of its entries are others."""
    obj = interp.obj(ref)
    dtype = numpy_types.of_data(interp, value)
    held = obj.facts.get(_TABLE) if obj.cls == PLACES else None
    if isinstance(held, Ref):
        table_types.stored(interp, held, None, dtype)
    elif obj.cls == table_types.TABLE:
        name = key.value if isinstance(key, Const) and isinstance(key.value, str) else None
        table_types.stored(interp, ref, name, dtype)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``table.to_numpy()``; much of what a table does gives another table with such columns."""
    own = _OWN.get(name)
    if own is not None:
        return own(interp, ref, obj, site)
    if name in _KEEPING:
        return ref
    if name in _SELECTING:
        return _selected(interp, ref, obj, site)
    if name in _WITH_GAPS:
        return table_types.changed(interp, obj, _with_gaps)
    if name in _AVERAGES:
        return _averaged(interp, obj, name, site)
    if name in _FLOAT64:
        return table_types.make(interp, "float64", single=table_types.is_single(obj))
    if name in _TRUTHS:
        return table_types.changed(interp, obj, lambda _dtype: "bool")
    if name in _OPERATORS and site.args:
        return table_types.arithmetic(interp, _OPERATORS[name], ref, site.args[0].value) or UNKNOWN
    return UNKNOWN


def _to_numpy(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    given = site.value(0, "dtype")
    made = _array(interp, obj, site.node)
    return made if given is None else Array(dtype_of(given), made.rank, made.trail)


def _insert(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    store(interp, ref, site.value(1, "column") or UNKNOWN, site.value(2, "value") or UNKNOWN)
    return NONE


def _pop(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    column = item(interp, ref, obj, site.value(0, "item") or UNKNOWN)
    table_types.loosen(interp, ref)
    return column


def _join(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    return _put_together(interp, [ref, *(arg.value for arg in site.args[:1])])


def _selected(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    """``table.drop(columns="a")``, which may be told to change the table itself."""
    if site.value(None, "inplace") not in (None, FALSE):
        table_types.loosen(interp, ref)
        return NONE
    return ref if table_types.is_plain(obj) else _some(interp, obj)


def delete(interp: Interpreter, ref: Ref) -> None:
    """``del table[key]``."""
    if interp.obj(ref).cls == table_types.TABLE:
        table_types.loosen(interp, ref)


def _cast(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> Value:
    asked = site.value(0, "dtype")
    told = interp.obj_of(asked)
    if told is None or told.kind != "dict":
        return table_types.changed(interp, obj, lambda _dtype: dtype_of(asked))
    made = interp.new(obj)
    for name, dtype in told.attrs.items():
        table_types.stored(interp, made, name, dtype_of(dtype))
    return made


def _averaged(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    """The mean of a column is a number, that of a table a column; a quantile of float32 is neither for certain."""
    if table_types.is_single(obj) and not (site.args and name != "quantile"):
        dtype = numpy_types.floating(table_types.whole(obj))
        return Array(dtype if dtype == "float64" else None, 0, (interp.site("array", site.node),))
    made = table_types.changed(interp, obj, numpy_types.floating)
    return table_types.make(interp, table_types.whole(interp.obj(made)))


_OWN: dict[str, Callable[[Interpreter, Ref, Obj, CallSite], Value]] = {
    "to_numpy": _to_numpy,
    "astype": _cast,
    "insert": _insert,
    "pop": _pop,
    "unique": lambda interp, _ref, obj, site: _array(interp, obj, site.node),
    **dict.fromkeys(("join", "merge"), _join),
}
Method = Callable[["Interpreter", Ref, Obj, str, CallSite], Value]
METHODS: dict[str, Method] = {
    table_types.TABLE.name: method,
    DATES.name: lambda _interp, ref, _obj, name, _site: ref if name == "isocalendar" else UNKNOWN,
}
