"""Own setters: a ``__setattr__`` of the project has its say where an instance of its class is given an attribute."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Class, Const, External, Function, Obj, Ref, Tensor, Value
from devfix.analysis.language import given_namespaces
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def of(interp: Interpreter, obj: Obj, value: Value) -> Function | None:
    """The ``__setattr__`` that is called where an object is given a value.

    Numbers, texts and the like are left to the object: where they are kept is of no account, unless that is among entries.
    """
    kept = isinstance(value, (Ref, Tensor)) or given_namespaces.ENTRIES in obj.attrs
    if obj.kind not in ("instance", "module") or not kept:
        return None
    found = classes.find(interp, obj.cls, "__setattr__") if isinstance(obj.cls, Class) else None
    return found if isinstance(found, Function) else None


def as_entries(interp: Interpreter, obj: Obj) -> Ref | None:
    """The dict in which an object keeps its attributes as entries: ``__setattr__ = dict.__setitem__``."""
    entries = obj.attrs.get(given_namespaces.ENTRIES)
    if not isinstance(entries, Ref) or not isinstance(obj.cls, Class):
        return None
    return entries if isinstance(classes.find(interp, obj.cls, "__setattr__"), External) else None


def call(interp: Interpreter, setter: Function, ref: Ref, name: str, value: Value, target: ast.expr) -> bool:
    """Let a ``__setattr__`` set an attribute; False where it keeps nothing under that name, and no ``__getattr__`` gives it."""
    before, held = interp.obj(ref).attrs.get(name), interp.obj_of(value)
    site = CallSite(target, (Arg(Const(name)), Arg(value)))
    interp.call_function(setter, [ref], target, site)
    if held is not None and isinstance(value, Ref):
        # It has no names of its way through the method, which anything may pass.
        interp.update(value, replace(interp.obj(value), trail=held.trail))
    after = interp.obj(ref)
    kept = after.attrs.get(name)
    if kept is None:
        own = classes.find(interp, after.cls, "__getattr__") if isinstance(after.cls, Class) else None
        return isinstance(own, Function)
    if kept is before:
        return False
    if kept == value:
        interp.update(ref, after.with_attr(name, value))
    return True


def set_property(
    interp: Interpreter, cls: Class, ref: Ref, name: str, value: Value, target: ast.expr
) -> None:
    """``obj.name = value`` where the class says what is to be done with it."""
    found = classes.find(interp, cls, name)
    setter = found.setter if isinstance(found, Function) else None
    setter = setter or classes.find(interp, cls, classes.setter_of(name))
    if isinstance(setter, Function):
        interp.call_function(setter, [ref], target, CallSite(target, (Arg(value),)))
