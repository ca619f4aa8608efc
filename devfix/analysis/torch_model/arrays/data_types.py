"""The dtypes that NumPy gives to data: lists and numbers of Python, pictures and tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import INTEGERS, rank_of_broadcast
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import Array, Sequence, Tensor, Union, Value, without_none
from devfix.analysis.language import iteration
from devfix.analysis.torch_model.arrays import numpy_types, picture_types, table_types

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What float64 beside it leaves float64.
_REAL = frozenset(("float64", "float32", "float16", "bool", *INTEGERS))


def of_data(interp: Interpreter, value: Value | None, around: tuple[Value, ...] = ()) -> str | None:
    """The dtype NumPy gives to Python data, which is in the lists ``around``; None for that of a list that holds itself."""
    if value is None or value in around:
        return None
    value = without_none(value)
    kind = exact_type(value)
    if kind is not None:
        return numpy_types.NUMBERS.get(kind)
    if isinstance(value, (Array, Tensor)):
        return value.dtype
    if isinstance(value, Union):
        either = {of_data(interp, member, around) for member in value.members}
        return either.pop() if len(either) == 1 else None
    obj = interp.obj_of(value)
    if obj is not None and obj.kind == "external":
        if obj.cls == picture_types.PICTURE:
            return picture_types.dtype_of(obj)
        return table_types.whole(obj) if obj.cls == table_types.TABLE else None
    found = {of_data(interp, item, (*around, value)) for item in contents(interp, value)}
    if len(found) == 1:
        return found.pop()
    if found == {"int64", "bool"}:
        return "int64"
    return "float64" if "float64" in found and found <= _REAL else None


def contents(interp: Interpreter, value: Value) -> tuple[Value, ...]:
    """The items of a list, tuple or sequence as far as they are known, and its typical element."""
    items = iteration.exact_items(interp, value)
    if items is not None:
        return items
    if isinstance(value, Sequence):
        return (value.element,)
    obj = interp.obj_of(value)
    if obj is None or obj.kind != "list":
        return ()
    return (*(obj.items or ()), *((obj.element,) if obj.element is not None else ()))


def common(interp: Interpreter, values: Iterable[Value]) -> str | None:
    """The dtype that arrays, lists and numbers have together; None as soon as one is unknown."""
    result: Array | None = None
    numbers: list[str] = []
    for value in values:
        plain = without_none(value)
        kind = exact_type(plain)
        if kind is not None:
            numbers.append(kind)
            continue
        array = plain if isinstance(plain, Array) else Array(of_data(interp, plain), 1)
        result = array if result is None else Array(
            numpy_types.promoted(result, array), rank_of_broadcast([result.rank, array.rank])
        )  # fmt: skip
    if result is None:
        known = {numpy_types.NUMBERS.get(kind) for kind in numbers}
        return known.pop() if len(known) == 1 else "float64" if "float64" in known else None
    for kind in numbers:
        result = Array(numpy_types.with_number(result, kind), result.rank)
    return result.dtype
