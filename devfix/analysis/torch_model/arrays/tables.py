"""Tables of pandas: where the float64 in a batch comes from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import (
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
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays import data_types, numpy_types, table_dates, table_types
from devfix.analysis.torch_model.tensors import host_memory
from devfix.analysis.torch_model.tensors.arguments import dtype_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: ``table.loc``, ``table.iloc``, ``table.at`` and ``table.iat``.
PLACES = External("pandas.core.indexing")
#: The facts of such a place: the table, and which of the attributes it is.
_TABLE, _FORM = "table", "form"
CLASSES = (table_types.TABLE, table_dates.INDEX, PLACES)
#: What is in a text or a sheet becomes integers, float64 or objects; files of other kinds keep every dtype.
_READERS = frozenset("read_csv read_table read_fwf read_excel read_sql read_sql_query read_sql_table".split())
#: What makes them give something else than a table with such columns.
_OTHER_FORMS = frozenset("dtype_backend engine_kwargs chunksize iterator converters".split())


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
        return interp.new(Obj("external", table_dates.INDEX))
    if last in _READERS:
        other = site.open or site.keywords.keys() & _OTHER_FORMS or _reads_several(last, site)
        return None if other else _read(interp, site)
    if last == "to_numeric" and "downcast" not in site.keywords:
        return _numeric(interp, site)
    if last == "concat":
        parts = data_types.contents(interp, site.value(0, "objs") or UNKNOWN)
        return table_types.together(interp, parts)
    if last == "get_dummies":
        return _marks(interp, site)
    return table_types.together(interp, [arg.value for arg in site.args[:2]]) if last == "merge" else None


def _reads_several(last: str, site: CallSite) -> bool:
    """``read_excel(path, sheet_name=None)`` gives all sheets by their names."""
    sheet = site.value(1, "sheet_name") if last == "read_excel" else None
    return sheet is not None and scalar_type(sheet) not in ("int", "str")


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
    """``to_numeric(column)``, which leaves what is numbers already."""
    table = table_types.of(interp, site.value(0, "arg"))
    return interp.new(table) if table is not None else UNKNOWN


def _marks(interp: Interpreter, site: CallSite) -> Value:
    """``get_dummies(column, dtype=float)``: a column of marks for each kind of entry; which dtype they have else depends on pandas."""
    data, dtype = site.value(0, "data"), site.value(None, "dtype")
    table = table_types.of(interp, data)
    if dtype is None or not (isinstance(data, Array) or (table is not None and table_types.is_single(table))):
        return UNKNOWN
    return table_types.make(interp, dtype_of(dtype))


def _new(interp: Interpreter, site: CallSite, *, single: bool) -> Ref:
    """``DataFrame(data)``: columns of a dict or of records, one dtype of an array."""
    given = site.value(None, "dtype")
    data = without_none(site.value(0, "data") or UNKNOWN)
    obj = interp.obj_of(data)
    if given is not None and given != NONE:
        return table_types.make(interp, dtype_of(given), single=single)
    if not single and not site.open and site.keywords.keys() <= {"index"} and not site.args:
        return table_types.make(interp, None, closed=True)
    reindexed = site.value(1, "index") is not None or site.value(2, "columns") is not None
    if obj is not None and obj.cls == table_types.TABLE:
        made = interp.new(obj) if single == table_types.is_single(obj) else table_types.some(interp, obj)
        return table_types.changed(interp, interp.obj(made), table_types.with_gaps) if reindexed else made
    if obj is not None and obj.kind == "dict" and not single:
        return _of_columns(interp, obj, reindexed=reindexed)
    if isinstance(data, (Array, Tensor)):
        return table_types.make(interp, data.dtype, single=single)
    dtype = data_types.of_data(interp, data)
    if not single:  # what is of one type in a column of rows need not be so in another
        dtype = table_types.any_of((dtype, "int64")) if obj is not None else None
        dtype = dtype if dtype is not None else _of_records(interp, data)
    return table_types.make(interp, dtype, single=single)


def _of_columns(interp: Interpreter, data: Obj, *, reindexed: bool) -> Ref:
    """A table of a dict of columns; those that are columns of tables have gaps where others have rows of their own."""
    parts = {key: table_types.of(interp, value) for key, value in data.attrs.items()}
    gaps = reindexed or sum(part is not None for part in parts.values()) > 1
    columns = {key: data_types.of_data(interp, value) for key, value in data.attrs.items()}
    if gaps:
        columns |= {
            key: table_types.with_gaps(columns[key]) for key, part in parts.items() if part is not None
        }
    return table_types.make(interp, None, columns, closed=data.element is None)


def _of_records(interp: Interpreter, data: Value) -> str | None:
    """A list of dicts of numbers: their columns are integers or float64."""
    records = [interp.obj_of(item) for item in data_types.contents(interp, data)]
    held = [value for obj in records if obj is not None for value in containers.everything(obj)]
    numbers = {scalar_type(without_none(value)) for value in held}
    every = all(obj is not None and obj.kind == "dict" for obj in records)
    return numpy_types.WIDE if every and numbers and numbers <= {"int", "float"} else None


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``table.values`` and the ways into a table; None for methods, and for columns that are not known."""
    if name in ("loc", "iloc", "at", "iat"):
        facts: dict[str, Value] = {_TABLE: ref, _FORM: Const(name)}
        return interp.new(Obj("external", PLACES, facts=facts))
    if name == "T":
        return ref if table_types.is_plain(obj) else table_types.some(interp, obj)
    if name == "shape":
        return Sequence(Scalar("int"))
    if table_types.has(obj, name):
        return table_types.make(interp, table_types.column(obj, name), single=True)
    if name == "dt" and table_types.is_single(obj):
        return table_dates.accessor(interp)
    return array(interp, obj, node) if name == "values" else None


def set_attribute(interp: Interpreter, ref: Ref, name: str, value: Value) -> None:
    """``table.name = value``: a column that the table has, or the names of all of them."""
    if name == "columns":
        table_types.loosen(interp, ref)
    elif name != "index" and not table_types.is_single(interp.obj(ref)):
        store(interp, ref, Const(name), value)


def array(interp: Interpreter, obj: Obj, node: ast.AST) -> Array:
    """``table.values``."""
    rank = 1 if table_types.is_single(obj) else AT_LEAST_1
    return Array(table_types.whole(obj), rank, (interp.site("array", node),))


def item(interp: Interpreter, ref: Ref, obj: Obj, key: Value, node: ast.expr) -> Value:
    """``table[key]``: a column, some columns or some rows; ``table.loc[rows, key]``, ``column[row]``."""
    if obj.cls == table_dates.INDEX:
        return ref
    if obj.cls == PLACES:
        return _placed(interp, obj, key, node)
    if table_types.is_single(obj):
        return _entry(interp, table_types.whole(obj), node) if _is_one(key) else interp.new(obj)
    names = _names(interp, key)
    if names is None:
        keeps = table_types.is_plain(obj) or _are_rows(interp, key)
        return interp.new(obj) if keeps else table_types.some(interp, obj)
    return _columns(interp, obj, names)


def _columns(interp: Interpreter, obj: Obj, names: str | list[str]) -> Ref:
    if isinstance(names, str):
        return table_types.make(interp, table_types.column(obj, names), single=True)
    dtypes = {name: table_types.column(obj, name) for name in names}
    return table_types.make(interp, None, dtypes, closed=True)


def _entry(interp: Interpreter, dtype: str | None, node: ast.expr, *, alone: bool = False) -> Array:
    """One entry of a column; several that have the same label, unless it is ``alone`` in its place."""
    return Array(dtype, 0 if alone else None, (interp.site("array", node),))


def _is_one(key: Value) -> bool:
    """Whether a key is the number or label of one row, or of one column."""
    return scalar_type(key) in ("int", "str")


def _are_rows(interp: Interpreter, key: Value) -> bool:
    """Whether a key is a slice or a mask."""
    is_slice = key == iteration.SLICE
    return is_slice or isinstance(key, (Array, Tensor)) or table_types.of(interp, key) is not None


def _names(interp: Interpreter, key: Value) -> str | list[str] | None:
    """The columns that a key names: one, or several; None for rows, and where that is not known."""
    if isinstance(key, Const) and isinstance(key.value, str):
        return key.value
    items = iteration.exact_items(interp, key) if isinstance(key, Ref) else None
    texts = [each.value for each in items or () if isinstance(each, Const) and isinstance(each.value, str)]
    return texts if items and len(texts) == len(items) else None


def _placed(interp: Interpreter, places: Obj, key: Value, node: ast.expr) -> Value:
    """``table.loc[rows]`` and ``table.loc[rows, columns]``, ``table.iat[row, column]``."""
    held = places.facts[_TABLE]
    table = table_types.of(interp, held)
    if table is None:
        return held
    whole = not isinstance(key, TupleValue) or len(key.items) != 2
    rows, columns = (key, NONE) if not isinstance(key, TupleValue) or whole else key.items
    picked = interp.new(table) if whole else _picked(interp, table, columns)
    taken = table_types.of(interp, picked)
    if taken is None:
        return picked
    form = places.facts[_FORM]
    if form in (Const("at"), Const("iat")) or (_is_one(rows) and table_types.is_single(taken)):
        alone = form != Const("loc") and (whole or _is_one(columns))
        return _entry(interp, table_types.of_any_column(taken), node, alone=alone)
    if _is_one(rows):
        return table_types.make(interp, table_types.whole(taken), single=scalar_type(rows) == "int")
    if whole and not table_types.is_plain(taken) and not _are_many(interp, rows):
        return table_types.make(interp, table_types.of_rows_or_one(taken))
    return picked


def _picked(interp: Interpreter, table: Obj, columns: Value) -> Ref:
    """The columns of a table that stand behind the comma."""
    names = _names(interp, columns)
    if names is not None and not table_types.is_single(table):
        return _columns(interp, table, names)
    return table_types.some(interp, table, single=_is_one(columns))


def _are_many(interp: Interpreter, rows: Value) -> bool:
    """Whether rows are told by a slice, a mask or a list."""
    obj = interp.obj_of(rows)
    return _are_rows(interp, rows) or (obj is not None and obj.kind == "list")


def store(interp: Interpreter, ref: Ref, key: Value, value: Value) -> None:
    """``table[key] = value``: a column has another dtype, or some of its entries are others."""
    obj = interp.obj(ref)
    dtype = data_types.of_data(interp, value)
    held = obj.facts.get(_TABLE) if obj.cls == PLACES else None
    if isinstance(held, Ref):
        table_types.stored(interp, held, None, dtype)
    elif obj.cls == table_types.TABLE:
        name = key.value if isinstance(key, Const) and isinstance(key.value, str) else None
        table_types.stored(interp, ref, name, dtype)


def delete(interp: Interpreter, ref: Ref) -> None:
    """``del table[key]``."""
    if interp.obj(ref).cls == table_types.TABLE:
        table_types.loosen(interp, ref)
