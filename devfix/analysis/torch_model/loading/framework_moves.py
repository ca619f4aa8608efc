"""What frameworks make of a batch that they move: tensors in collections, and objects that have a method for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import NONE, Class, DeviceValue, Function, Ref, TupleValue, Union, Value
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.loading import collation

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Frameworks that look for tensors in the fields of a dataclass as well.
_INTO_FIELDS = "lightning."


def move(interp: Interpreter, value: Value, framework: str, node: ast.expr) -> Value:
    """A batch as a framework hands it on; an object without a method ``to`` is left alone."""
    if isinstance(value, TupleValue):
        return value.with_items(move(interp, item, framework, node) for item in value.items)
    if isinstance(value, Union):
        return Union(tuple(move(interp, member, framework, node) for member in value.members))
    obj = interp.obj_of(value)
    if isinstance(value, Ref) and obj is not None and obj.kind == "instance" and isinstance(obj.cls, Class):
        return _moved_object(interp, value, obj.cls, framework, node)
    return collation.placed(interp, value, ACCELERATOR)


def _moved_object(interp: Interpreter, ref: Ref, cls: Class, framework: str, node: ast.expr) -> Value:
    mover = classes.find(interp, cls, "to")
    if isinstance(mover, Function):
        made = interp.call_function(mover, [ref], node, CallSite(node, (Arg(DeviceValue(ACCELERATOR)),)))
        return ref if made == NONE else made
    has_fields = framework.startswith(_INTO_FIELDS) and classes.is_dataclass(cls)
    if has_fields or _may_have_more(interp, cls):
        return collation.placed(interp, ref, ACCELERATOR)
    return ref


def _may_have_more(interp: Interpreter, cls: Class) -> bool:
    """Whether objects of a class may have a method that the class does not define."""
    above = set(modules.external_bases(interp, cls)) - {"builtins.object"}
    return bool(above) or classes.find(interp, cls, "__getattr__") is not None
