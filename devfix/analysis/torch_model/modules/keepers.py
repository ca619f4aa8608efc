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
    objects = [(Ref(address), obj) for address, obj in reads.objects(interp)]
    plain = [
        ref
        for ref, obj in objects
        if obj.kind == "instance" and not modules.is_module(interp, ref) and top in obj.attrs.values()
    ]
    for ref, obj in objects:
        if plain and modules.is_module(interp, ref):
            found = next((held for held in plain if held in obj.attrs.values()), None)
            if found is not None:
                return found
    return None


def modules_in(interp: Interpreter, keeper: Ref) -> list[str]:
    """The attributes of an object that are modules; none when it may hold others, in lists, say."""
    attrs = interp.obj(keeper).attrs
    if any((interp.obj_of(value) or Obj("")).kind in ("list", "dict") for value in attrs.values()):
        return []
    return [name for name, value in attrs.items() if modules.is_module(interp, value)]
