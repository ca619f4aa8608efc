"""``weakref``: what gives back the object that it was made of, as long as somebody else keeps that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.python.made_dicts import dict_

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "weakref.ref"
_OF = "of"


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``weakref.ref(x)``, ``weakref.WeakMethod(x.run)``."""
    return interp.new(Obj("external", External(NAME), attrs={_OF: site.value(0) or UNKNOWN}))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """Called, it gives the object."""
    return obj.attrs[_OF] if name == "__call__" else UNKNOWN


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    NAME: make,
    "weakref.WeakMethod": make,
    "weakref.proxy": lambda _interp, _name, site: site.value(0) or UNKNOWN,
    "weakref.WeakValueDictionary": dict_,
    "weakref.WeakKeyDictionary": dict_,
}
