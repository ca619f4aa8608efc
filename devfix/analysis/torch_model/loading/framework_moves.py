"""What frameworks make of a batch that they move: tensors in collections, and objects that have a method for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import (
    NONE,
    Class,
    DeviceValue,
    Function,
    Obj,
    Ref,
    Sequence,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.language import containers
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.loading import collation

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Frameworks that look for tensors in the fields of a dataclass as well.
_INTO_FIELDS = "lightning."


def move(interp: Interpreter, value: Value, framework: str, node: ast.expr) -> Value:
    """A batch as a framework hands it on; an object without a method ``to`` is left alone."""
    return _Move(interp, framework, node).of(value, frozenset())


@dataclass(frozen=True, slots=True)
class _Move:
    """One batch being moved."""

    interp: Interpreter
    framework: str
    node: ast.expr

    def of(self, value: Value, around: frozenset[int]) -> Value:
        """A part of the batch, which lies within the objects at the addresses ``around``."""
        if isinstance(value, TupleValue):
            return value.with_items(self.of(item, around) for item in value.items)
        if isinstance(value, Union):
            return Union(tuple(self.of(member, around) for member in value.members))
        if isinstance(value, Sequence):
            return Sequence(self.of(value.element, around))
        obj = self.interp.obj_of(value)
        if not isinstance(value, Ref) or obj is None:
            return collation.placed(self.interp, value, ACCELERATOR)
        if value.address in around:
            return value
        if obj.kind in ("dict", "list"):
            return self._entries(value, obj, around)
        if obj.kind == "instance" and isinstance(obj.cls, Class):
            return self._object(value, obj, obj.cls, around)
        return collation.placed(self.interp, value, ACCELERATOR)

    def _entries(self, ref: Ref, obj: Obj, around: frozenset[int]) -> Value:
        within = around | {ref.address}
        return self.interp.new(containers.each(obj, lambda held: self.of(held, within)))

    def _object(self, ref: Ref, obj: Obj, cls: Class, around: frozenset[int]) -> Value:
        interp, node = self.interp, self.node
        mover = classes.find(interp, cls, "to")
        if isinstance(mover, Function):
            made = interp.call_function(mover, [ref], node, CallSite(node, (Arg(DeviceValue(ACCELERATOR)),)))
            return ref if made == NONE else made
        has_fields = self.framework.startswith(_INTO_FIELDS) and classes.is_dataclass(cls)
        return self._entries(ref, obj, around) if has_fields or _may_have_more(interp, cls) else ref


def _may_have_more(interp: Interpreter, cls: Class) -> bool:
    """Whether objects of a class may have a method that the class does not define."""
    above = set(modules.external_bases(interp, cls)) - {"builtins.object"}
    return bool(above) or classes.find(interp, cls, "__getattr__") is not None
