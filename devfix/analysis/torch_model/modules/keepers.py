"""Keepers: plain objects of a project that hold modules, where the module that holds the object does not see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import MOVED
from devfix.analysis.domain.values import Obj, Ref
from devfix.analysis.nn import modules
from devfix.analysis.reuse import reads

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def kept_by(interp: Interpreter, top: Ref) -> Ref | None:
    """The plain object of the project that keeps a module, and is itself kept by a module."""
    if MOVED in interp.obj(top).facts:
        return None
    objects = reads.objects(interp)
    plain = [
        Ref(address)
        for address, obj in objects
        if obj.kind == "instance" and _has(obj, top) and not modules.is_module_class(interp, obj.cls)
    ]
    for address, obj in objects if plain else ():
        if modules.is_module(interp, Ref(address)):
            found = next((held for held in plain if _has(obj, held)), None)
            if found is not None:
                return found
    return None


def _has(obj: Obj, part: Ref) -> bool:
    """Whether an attribute of an object is another one."""
    return any(value.__class__ is Ref and value == part for value in obj.attrs.values())


def modules_in(interp: Interpreter, keeper: Ref) -> list[str]:
    """The attributes of an object that are modules; none when it may hold others, in lists, say."""
    attrs = interp.obj(keeper).attrs
    if any((interp.obj_of(value) or Obj("")).kind in ("list", "dict") for value in attrs.values()):
        return []
    return [name for name, value in attrs.items() if modules.is_module(interp, value)]
