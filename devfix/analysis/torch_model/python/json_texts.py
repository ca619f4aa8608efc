"""JSON: what ``json.loads`` makes of a text that the program holds itself, or that ``json.dumps`` gave, is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain.values import UNKNOWN, Const, External, Obj, Scalar, Sequence, TupleValue, Value
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.language.text_keys import unnamed_key

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Longer texts are data rather than settings.
_LONGEST = 10_000
#: A text of which is known what it says.
_TEXT = External("json.text")
_SAYS = "says"
#: How a text is written, which does not change what it says.
_LAYOUT = frozenset(
    {"obj", "indent", "separators", "sort_keys", "ensure_ascii", "allow_nan", "check_circular"}
)
#: So many containers may stand in one another.
_DEEPEST = 8


def loads(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The dicts, lists and constants that a text describes; unknown when it is no JSON, or made otherwise."""
    text = site.value(0, "s")
    if site.open or site.keywords.keys() - {"s"}:
        return UNKNOWN  # hooks decide what is made
    obj = interp.obj_of(text)
    if obj is not None and obj.cls == _TEXT:
        return _written(interp, obj.facts[_SAYS])
    if not isinstance(text, Const) or not isinstance(text.value, str) or len(text.value) > _LONGEST:
        return UNKNOWN
    try:
        return _made(interp, json.loads(text.value))
    except (ValueError, RecursionError):
        return UNKNOWN


def dumps(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A text that says what there is now: numbers, texts, and lists and dicts of them."""
    told = site.value(0, "obj")
    if told is None or site.open or site.keywords.keys() - _LAYOUT:
        return UNKNOWN  # other classes say how they are written
    says = _written(interp, told)
    return UNKNOWN if says == UNKNOWN else interp.new(Obj("external", _TEXT, facts={_SAYS: says}))


def _made(interp: Interpreter, told: Any) -> Value:
    if isinstance(told, dict):
        return interp.new(Obj("dict", attrs={key: _made(interp, part) for key, part in told.items()}))
    if isinstance(told, list):
        return iteration.new_list(interp, tuple(_made(interp, part) for part in told))
    return Const(told)


def _written(interp: Interpreter, told: Value, depth: int = 0) -> Value:
    """What comes back of a value that was written down: a copy, and a list for a tuple."""
    if isinstance(told, (Const, Scalar)):
        return told
    if depth > _DEEPEST:
        return UNKNOWN
    if isinstance(told, TupleValue):
        return iteration.new_list(interp, tuple(_written(interp, each, depth + 1) for each in told.items))
    if isinstance(told, Sequence):
        return interp.new(Obj("list", element=_written(interp, told.element, depth + 1)))
    obj = interp.obj_of(told)
    if obj is None or obj.kind not in ("list", "dict"):
        return UNKNOWN
    plain = all(unnamed_key(key) is None for key in obj.attrs)
    parts = {key: _written(interp, each, depth + 1) for key, each in obj.attrs.items()} if plain else {}
    items = tuple(_written(interp, each, depth + 1) for each in obj.items) if obj.items is not None else None
    element = _written(interp, obj.element, depth + 1) if obj.element is not None else None
    return interp.new(Obj(obj.kind, attrs=parts, items=items, element=element if plain else UNKNOWN))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "json.loads": loads,
    "json.dumps": dumps,
}
