"""Descriptors: objects that a class has as attributes, and that have their say where these are read or set on its instances."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, Class, Const, Function, Ref, Tensor, Value
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def describes(interp: Interpreter, cls: Class) -> bool:
    """Whether the instances of a class are descriptors that are read."""
    return isinstance(classes.find(interp, cls, "__get__"), Function)


def name_all(interp: Interpreter, cls: Class) -> None:
    """A class was just made: its descriptors are told what they are called (``__set_name__``)."""
    place = ast.copy_location(ast.Constant(None), cls.node)
    for name, held in list(interp.state.variables(cls.frame).items()):
        _call(interp, held, "__set_name__", (cls, Const(name)), place)


def read(interp: Interpreter, held: Value, receiver: Value, node: ast.expr) -> Value | None:
    """What is read through ``receiver``, the class itself or one of its instances; None where that is ``held`` itself."""
    obj = interp.obj_of(receiver)
    of_class = obj is None or not isinstance(receiver, Ref)
    given = (NONE if of_class else receiver, receiver if obj is None else obj.cls)
    found = _call(interp, held, "__get__", given, node)
    descriptor = interp.obj_of(held)
    if not isinstance(found, Tensor) or descriptor is None or not isinstance(descriptor.cls, Class):
        return found
    passed = _passed(found, descriptor.cls)
    kept = interp.obj_of(receiver)
    if isinstance(receiver, Ref) and kept is not None:
        names = [
            name for name, value in kept.attrs.items() if value == found
        ]  # where it may just have been put
        interp.update(receiver, replace(kept, attrs={**kept.attrs, **dict.fromkeys(names, passed)}))
    return passed


def _passed(value: Tensor, cls: Class) -> Tensor:
    """A value without the names that it got on its way through a descriptor, which anything may pass."""
    first, last = cls.node.lineno, cls.node.end_lineno or cls.node.lineno
    outside = [
        site for site in value.trail[1:] if site.path != cls.path or not first <= site.span.line <= last
    ]
    return replace(value, trail=(*value.trail[:1], *outside))


def write(interp: Interpreter, held: Value | None, receiver: Ref, value: Value, target: ast.expr) -> bool:
    """Set an attribute of an instance; False where the class leaves that to the instance."""
    return _call(interp, held, "__set__", (receiver, value), target) is not None


def _call(
    interp: Interpreter, held: Value | None, name: str, given: tuple[Value, ...], node: ast.expr
) -> Value | None:
    """What one of the methods of a descriptor returns; None for what has no such method."""
    obj = interp.obj_of(held) if isinstance(held, Ref) else None
    method = classes.find(interp, obj.cls, name) if obj is not None and isinstance(obj.cls, Class) else None
    if held is None or not isinstance(method, Function):
        return None
    return interp.call_function(method, [held], node, CallSite(node, tuple(map(Arg, given))))
