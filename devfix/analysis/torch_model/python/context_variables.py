"""``contextvars.ContextVar``: what was set is what is got, in the same context."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, UNKNOWN, External, Obj, Ref, Value
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "contextvars.ContextVar"
_HELD = "held"


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``ContextVar("name", default=x)``."""
    default = site.value(None, "default")
    return interp.new(Obj("external", External(NAME), attrs={} if default is None else {_HELD: default}))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``set`` and ``get``; what it was before ``set`` nobody knows any more after ``reset``."""
    if name == "get":
        return obj.attrs.get(_HELD, site.value(0, "default") or UNKNOWN)
    if name == "set":
        interp.update(ref, obj.with_attr(_HELD, site.value(0, "value") or UNKNOWN))
        return UNKNOWN
    if name == "reset":
        interp.update(ref, obj.with_attr(_HELD, UNKNOWN))
    return NONE


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {NAME: make}
