"""``contextvars``: what was set is what is got, in the same context; what runs in another one leaves this as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, UNKNOWN, External, Obj, Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.reuse import reads

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME, CONTEXT = "contextvars.ContextVar", "contextvars.Context"
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


def context(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``copy_context()``."""
    return interp.new(Obj("external", External(CONTEXT)))


def in_context(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``context.run(function, ...)``: what that sets is set there alone, and who looks there later nobody knows."""
    if name != "run" or not site.args:
        return UNKNOWN
    before = {address: held for address, held in reads.objects(interp) if held.cls == External(NAME)}
    result = interp.call(site.args[0].value, replace(site, args=site.args[1:]))
    for address, held in before.items():
        if interp.obj(Ref(address)).attrs != held.attrs:
            interp.update(Ref(address), held.with_attr(_HELD, UNKNOWN))
    return result


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    NAME: make,
    CONTEXT: context,
    "contextvars.copy_context": context,
}
