"""Dates of pandas: what is told of each in an index of them, or by ``column.dt``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, Array, External, Obj, Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays import numpy_types, table_types
from devfix.analysis.torch_model.python import dates

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

INDEX: External = External("pandas.DatetimeIndex")
#: ``column.dt``.
ACCESS = External("pandas.core.indexes.accessors.DatetimeProperties")
#: The numbers that each date has, which pandas 2 keeps as int32; the day of the week is no method here.
_FIELDS = dates.OF_DATE - {"fold"} | {"weekday"}
_TRUTHS = frozenset(
    "is_month_start is_month_end is_quarter_start is_quarter_end is_year_start is_year_end is_leap_year".split()
)


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """A number of each date, in an index: an array."""
    if name == "dt":  # a column that ``to_datetime`` made has this, an index has not
        return accessor(interp)
    return Array("int32", 1, (interp.site("array", node),)) if name in _FIELDS else None


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """A method of an index of dates."""
    return ref if name == "isocalendar" else UNKNOWN


def accessor(interp: Interpreter) -> Ref:
    """``column.dt``."""
    return interp.new(Obj("external", ACCESS))


def told(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``column.dt.month``: a column of integers, which are float64 where a date is missing."""
    if name in _FIELDS | dates.OF_SPAN:
        return table_types.make(interp, numpy_types.WIDE, single=True)
    return table_types.make(interp, "bool", single=True) if name in _TRUTHS else None


def asked(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """A method of ``column.dt``."""
    return table_types.make(interp, "float64", single=True) if name == "total_seconds" else UNKNOWN
