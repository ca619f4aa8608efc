"""Table types: the dtypes of the columns of a table of pandas, and what they have together.

A table is an object with the dtype of each column that is known by its name, and the one that all others have.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, FLOATS
from devfix.analysis.domain.values import TRUE, Array, DTypeValue, External, Obj, Ref, Value
from devfix.analysis.torch_model.arrays import numpy_types

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

TABLE = External("pandas.DataFrame")
#: The facts of a table: the dtype of the columns not named, whether there are none, and whether it is a single column.
_OTHERS, _CLOSED, _SINGLE = "dtype", "closed", "single"
#: What stands before the name of a column in the fact of its dtype.
_COLUMN = "column "
_FAMILY = frozenset({"int64", "float64", numpy_types.WIDE})
#: Where a divisor is zero integers become floats.
_DIVIDING = (ast.FloorDiv, ast.Mod)


def make(
    interp: Interpreter,
    others: str | None,
    columns: Mapping[str, str | None] | None = None,
    *,
    closed: bool = False,
    single: bool = False,
) -> Ref:
    """A table, or a single column of one."""
    facts: dict[str, Value] = {_OTHERS: DTypeValue(others)}
    facts |= {_CLOSED: TRUE} if closed else {}
    facts |= {_SINGLE: TRUE} if single else {}
    facts |= {_COLUMN + name: DTypeValue(dtype) for name, dtype in (columns or {}).items()}
    return interp.new(Obj("external", TABLE, facts=facts))


def of(interp: Interpreter, value: Value | None) -> Obj | None:
    """The table that a value is."""
    obj = interp.obj_of(value) if isinstance(value, Ref) else None
    return obj if obj is not None and obj.cls == TABLE else None


def is_single(obj: Obj) -> bool:
    """Whether a table is a single column for certain."""
    return obj.facts.get(_SINGLE) == TRUE


def has(obj: Obj, name: str) -> bool:
    """Whether the table has a column of that name for certain."""
    return _COLUMN + name in obj.facts


def is_plain(obj: Obj) -> bool:
    """Whether of no column more is known than of the others."""
    return not _columns(obj)


def _columns(obj: Obj) -> list[str]:
    """The facts that are dtypes of columns known by their names."""
    return [name for name in obj.facts if name.startswith(_COLUMN)]


def _told(fact: Value | None) -> str | None:
    return fact.name if isinstance(fact, DTypeValue) else None


def column(obj: Obj, name: str) -> str | None:
    """The dtype of the column of that name."""
    return _told(obj.facts[_COLUMN + name]) if has(obj, name) else _others(obj)


def _others(obj: Obj) -> str | None:
    return _told(obj.facts.get(_OTHERS))


def _all(obj: Obj) -> list[str | None]:
    columns = [_told(obj.facts[name]) for name in _columns(obj)]
    return columns if obj.facts.get(_CLOSED) == TRUE else [*columns, _others(obj)]


def whole(obj: Obj) -> str | None:
    """The dtype of ``table.values``: what all columns have together. Numbers beside truths are objects."""
    dtypes = set(_all(obj))
    if len(dtypes) < 2:
        return dtypes.pop() if dtypes else None
    if None in dtypes or "bool" in dtypes:
        return None
    first, *rest = sorted(dtype for dtype in dtypes if dtype is not None)
    found = Array(first, 1)
    for dtype in rest:
        found = Array(numpy_types.promoted(found, Array(dtype, 1)), 1)
    return found.dtype


def any_of(dtypes: Iterable[str | None]) -> str | None:
    """The dtype of one of several columns, whichever it is."""
    found = set(dtypes)
    if len(found) == 1:
        return found.pop()
    return numpy_types.WIDE if found and found <= _FAMILY else None


def of_any_column(obj: Obj) -> str | None:
    """The dtype of one of the table's columns."""
    return any_of(_all(obj))


def with_gaps(dtype: str | None) -> str | None:
    """The dtype of a column once something may be missing: integers are floats then."""
    if dtype in ("int64", numpy_types.WIDE):
        return numpy_types.WIDE
    return dtype if dtype in ("float64", "float32") else None


def summed(dtype: str | None) -> str | None:
    """The dtype of sums and products of a column: truths are counted, and what narrow integers become depends."""
    if dtype == "bool":
        return "int64"
    return dtype if dtype in (*FLOATS, *_FAMILY) else None


def together(interp: Interpreter, parts: Iterable[Value]) -> Ref:
    """Tables below or beside one another, with gaps that only floats can have."""
    found = [of(interp, part) for part in parts]
    known = [of_any_column(table) for table in found if table is not None]
    return make(interp, with_gaps(any_of(known) if len(known) == len(found) else None))


def some(interp: Interpreter, obj: Obj, *, single: bool = False) -> Ref:
    """Columns of a table, nobody knows which: what is said holds of each, and of all together."""
    return make(interp, of_any_column(obj), single=single)


def of_rows_or_one(obj: Obj) -> str | None:
    """The dtype of any column of what is some rows of a table, or a single one, in which all have one dtype."""
    found = {*_all(obj), whole(obj)}
    return found.pop() if len(found) == 1 else None


def changed(interp: Interpreter, obj: Obj, change: Callable[[str | None], str | None]) -> Ref:
    """A table with the same columns in other dtypes."""
    dtypes = {name: DTypeValue(change(_told(obj.facts[name]))) for name in (*_columns(obj), _OTHERS)}
    return interp.new(replace(obj, facts={**obj.facts, **dtypes}))


def stored(interp: Interpreter, ref: Ref, name: str | None, dtype: str | None) -> None:
    """``table[name] = ...``; without a name some entries of any columns."""
    obj = interp.obj(ref)
    if name is not None and not is_single(obj):
        interp.update(ref, obj.with_fact(_COLUMN + name, DTypeValue(dtype)))
        return
    if _is_empty(obj):  # nobody knows what is called so now
        interp.update(ref, replace(obj, facts={_OTHERS: DTypeValue(dtype)}))
        return
    either = {fact: DTypeValue(any_of((_told(obj.facts[fact]), dtype))) for fact in (*_columns(obj), _OTHERS)}
    interp.update(ref, replace(obj, facts={**obj.facts, **either}))


def _is_empty(obj: Obj) -> bool:
    return obj.facts.get(_CLOSED) == TRUE and is_plain(obj)


def loosen(interp: Interpreter, ref: Ref) -> None:
    """A table has lost some column, or calls it otherwise: of each nothing is known but what holds of all."""
    obj = interp.obj(ref)
    if is_plain(obj):
        return
    kept = {name: fact for name, fact in obj.facts.items() if name not in (_CLOSED, *_columns(obj))}
    interp.update(ref, replace(obj, facts={**kept, _OTHERS: DTypeValue(of_any_column(obj))}))


def forget(interp: Interpreter, ref: Ref) -> None:
    """Any entry of a table may have been replaced by anything."""
    single = is_single(interp.obj(ref))
    facts: dict[str, Value] = {_OTHERS: DTypeValue(None), **({_SINGLE: TRUE} if single else {})}
    interp.update(ref, replace(interp.obj(ref), facts=facts))


def signed(interp: Interpreter, value: Value) -> Ref | None:
    """``-table``, ``+table`` and ``~table``, which has the same columns; None for what is no table."""
    table = of(interp, value)
    return interp.new(table) if table is not None else None


def arithmetic(interp: Interpreter, op: ast.operator, left: Value, right: Value) -> Value | None:
    """``left op right`` with a table on at least one side; None where there is none.

    Rows that only one of two tables has are gaps.
    """
    tables = [table for table in (of(interp, left), of(interp, right)) if table is not None]
    if not tables or isinstance(op, ast.MatMult):
        return None
    other = next((value for value in (left, right) if of(interp, value) is None), None)
    if other is not None and (scalar_type(other) is not None or _may_be_number(other)):
        return changed(interp, tables[0], lambda dtype: _with_number(op, dtype, other))
    array, beside = (_as_array(interp, value) for value in (left, right))
    dtype = numpy_types.arithmetic(op, array, beside).dtype
    if dtype == "int64" and (other is None or isinstance(op, _DIVIDING)):
        dtype = numpy_types.WIDE
    return make(interp, dtype, single=all(map(is_single, tables)))


def _may_be_number(value: Value) -> bool:
    return isinstance(value, Array) and value.rank in (0, None)


def _with_number(op: ast.operator, dtype: str | None, number: Value) -> str | None:
    """A number beside a column: one of NumPy widens no more than one of Python's, where it is one for certain."""
    plain = numpy_types.as_number(number)
    found = numpy_types.arithmetic(op, Array(dtype, 1), plain).dtype
    return found if scalar_type(plain) is not None or dtype in _FAMILY else None


def _as_array(interp: Interpreter, value: Value) -> Array:
    table = of(interp, value)
    if table is not None:
        return Array(whole(table), AT_LEAST_1)
    return value if isinstance(value, Array) else Array()
