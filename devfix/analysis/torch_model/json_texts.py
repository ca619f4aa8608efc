"""``json.loads`` of a text that the program holds itself: what it says is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devfix.analysis import iteration
from devfix.analysis.frames import CallSite
from devfix.analysis.values import UNKNOWN, Const, Obj, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Longer texts are data rather than settings.
_LONGEST = 10_000


def loads(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The dicts, lists and constants that a text describes; unknown when it is no JSON, or made otherwise."""
    text = site.value(0, "s")
    if not isinstance(text, Const) or not isinstance(text.value, str) or len(text.value) > _LONGEST:
        return UNKNOWN
    if site.open or site.keywords.keys() - {"s"}:
        return UNKNOWN  # hooks decide what is made
    try:
        return _made(interp, json.loads(text.value))
    except (ValueError, RecursionError):
        return UNKNOWN


def _made(interp: Interpreter, told: Any) -> Value:
    if isinstance(told, dict):
        return interp.new(Obj("dict", attrs={key: _made(interp, part) for key, part in told.items()}))
    if isinstance(told, list):
        return iteration.new_list(interp, tuple(_made(interp, part) for part in told))
    return Const(told)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {"json.loads": loads}
