"""Dates and spans of time: what Python's ``datetime``, ``time`` and ``calendar`` and a date of pandas tell in numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Scalar, TupleValue, Value
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

DATE = External("datetime.datetime")
SPAN = External("datetime.timedelta")
#: A date in fields, as ``time.localtime()`` and ``date.timetuple()`` tell it.
FIELDS = External("time.struct_time")

_WHOLE, _REAL, _TEXT = Scalar("int"), Scalar("float"), Scalar("str")
#: The numbers that a date has, those of pandas' included.
OF_DATE = frozenset(
    "year month day hour minute second microsecond nanosecond fold week weekofyear quarter dayofweek day_of_week "
    "dayofyear day_of_year days_in_month daysinmonth".split()
)
#: And those of a span of time.
OF_SPAN = frozenset("days seconds microseconds nanoseconds".split())
_OF_FIELDS = frozenset(
    "tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday tm_yday tm_isdst tm_gmtoff".split()
)
_NUMBERS = {DATE: OF_DATE, SPAN: OF_SPAN, FIELDS: _OF_FIELDS}
#: Methods of dates, by what they give.
_TOLD: dict[str, Value] = {
    **dict.fromkeys("weekday isoweekday toordinal".split(), _WHOLE),
    "timestamp": _REAL,
    **dict.fromkeys("strftime isoformat ctime tzname day_name month_name".split(), _TEXT),
    "isocalendar": TupleValue((_WHOLE, _WHOLE, _WHOLE), names=("year", "week", "weekday")),
}
_DATES = frozenset("date time timetz replace astimezone normalize floor ceil round to_pydatetime".split())


def make(cls: External) -> Callable[[Interpreter, str, CallSite], Value]:
    """What makes an object of the class of whatever it is given."""
    return lambda interp, _name, _site: _new(interp, cls)


def _new(interp: Interpreter, cls: External) -> Ref:
    return interp.new(Obj("external", cls))


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """A number of a date, a span or fields."""
    return _WHOLE if isinstance(obj.cls, External) and name in _NUMBERS[obj.cls] else None


def of_date(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """A method of a date."""
    if name in _DATES:
        return ref
    if name in ("timetuple", "utctimetuple"):
        return _new(interp, FIELDS)
    return _TOLD.get(name, UNKNOWN)


def of_span(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """A method of a span of time."""
    return _REAL if name == "total_seconds" else UNKNOWN


def arithmetic(interp: Interpreter, op: ast.operator, left: Value, right: Value) -> Value | None:
    """``left op right`` of dates, spans and numbers; None for anything else."""
    kinds = tuple(obj.cls if obj is not None else None for obj in map(interp.obj_of, (left, right)))
    if kinds == (DATE, DATE):
        return _new(interp, SPAN) if isinstance(op, ast.Sub) else None
    if kinds == (DATE, SPAN):
        return left if isinstance(op, (ast.Add, ast.Sub)) else None
    if kinds == (SPAN, DATE):
        return right if isinstance(op, ast.Add) else None
    if kinds == (SPAN, SPAN):
        if isinstance(op, (ast.Div, ast.FloorDiv)):
            return _REAL if isinstance(op, ast.Div) else _WHOLE
        return left if isinstance(op, (ast.Add, ast.Sub, ast.Mod)) else None
    span, number = (left, right) if kinds[0] == SPAN else (right, left)
    if SPAN not in kinds or scalar_type(number) not in ("int", "float"):
        return None
    divided = isinstance(op, (ast.Div, ast.FloorDiv)) and span is left
    return span if divided or isinstance(op, ast.Mult) else None


_MAKERS = "now utcnow today fromtimestamp utcfromtimestamp fromisoformat strptime combine fromordinal fromisocalendar"

HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{
        f"{cls}{made}": make(DATE)
        for cls in ("datetime.datetime", "datetime.date", "datetime.time", "pandas.Timestamp")
        for made in ("", *(f".{name}" for name in _MAKERS.split()))
    },
    **dict.fromkeys(("datetime.timedelta", "pandas.Timedelta"), make(SPAN)),
    **dict.fromkeys((f"time.{name}" for name in ("localtime", "gmtime", "strptime")), make(FIELDS)),
    **dict.fromkeys(("time.strftime", "time.ctime", "time.asctime"), lambda _i, _n, _s: _TEXT),
    **dict.fromkeys(("time.mktime", "time.process_time"), lambda _i, _n, _s: _REAL),
    "calendar.monthrange": lambda _i, _n, _s: TupleValue((_WHOLE, _WHOLE)),
    **dict.fromkeys(("calendar.timegm", "calendar.weekday"), lambda _i, _n, _s: _WHOLE),
    "calendar.isleap": lambda _i, _n, _s: Scalar("bool"),
}  # fmt: skip

#: What the classes have to say to ``object.attribute`` and to ``object.method()``.
ATTRIBUTES = dict.fromkeys(_NUMBERS, attribute)
METHODS = {DATE.name: of_date, SPAN.name: of_span}
