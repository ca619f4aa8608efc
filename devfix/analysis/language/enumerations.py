"""Enumerations whose members have methods, or are no constants: each member is an object. Others stand for their values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Function,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn.modules import external_bases

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

BASES = frozenset(f"enum.{name}" for name in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum"))
_OBJECTS = (Tensor, Array, DeviceValue, DTypeValue, TupleValue, Ref)
_BITS = frozenset({"enum.Flag", "enum.IntFlag"})
#: What ``auto()`` gives until the class is there.
AUTO = External("<enum.auto>")
#: The fact of an object that is a member, with its name.
_MEMBER = "member"


def is_one(interp: Interpreter, cls: Class) -> bool:
    """Whether a class is an enumeration."""
    return not BASES.isdisjoint(external_bases(interp, cls))


def make_members(interp: Interpreter, cls: Class) -> None:
    """An enumeration was just made: what its body assigns are its members."""
    if not is_one(interp, cls):
        return
    _count(interp, cls)
    if not (_has_methods(interp, cls) or _has_objects(interp, cls)):
        return
    for name in _assigned(cls.node):
        value = interp.state.get(cls.frame, name)
        if value is not None and not isinstance(value, Function):
            attrs = {"value": value, "_value_": value, "name": Const(name)}
            made = interp.new(Obj("instance", cls, attrs=attrs, facts={_MEMBER: Const(name)}))
            interp.state.set(cls.frame, name, made)
            _initialise(interp, cls, made, value)


def _initialise(interp: Interpreter, cls: Class, member: Ref, value: Value) -> None:
    """A member is given its value by the ``__init__`` of its class, item by item where that is a tuple."""
    init = classes.find(interp, cls, "__init__")
    if isinstance(init, Function):
        place = ast.copy_location(ast.Constant(None), cls.node)
        given = value.items if isinstance(value, TupleValue) else (value,)
        interp.call_function(init, [member], place, CallSite(place, tuple(map(Arg, given))))


def _count(interp: Interpreter, cls: Class) -> None:
    """``auto()`` is what Python makes of it: the next number, the next bit, or the name."""
    bases, last = external_bases(interp, cls), 0
    for name in _assigned(cls.node):
        value = interp.state.get(cls.frame, name)
        if value == AUTO:
            last = max(1, 2 * last) if not _BITS.isdisjoint(bases) else last + 1
            interp.state.set(cls.frame, name, Const(name.lower() if "enum.StrEnum" in bases else last))
        elif isinstance(value, Const) and isinstance(value.value, int):
            last = value.value


def _has_methods(interp: Interpreter, cls: Class) -> bool:
    held = (value for each in classes.linearise(cls) for value in interp.state.variables(each.frame).values())
    return any(isinstance(value, Function) and value.owner is not None for value in held)


def _has_objects(interp: Interpreter, cls: Class) -> bool:
    """Whether the value of a member is something that has attributes of its own, or several things."""
    held = (interp.state.get(cls.frame, name) for name in _assigned(cls.node))
    return any(isinstance(value, _OBJECTS) for value in held)


def _assigned(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            if isinstance(target, ast.Name) and not target.id.startswith("_"):
                yield target.id


def member(interp: Interpreter, cls: Class, key: Value, *, by_name: bool = False) -> Value:
    """``Kind(value)``, ``Kind[name]``: the member of that value or name, or any of them."""
    held = interp.state.variables(cls.frame).values()
    found = [value for value in held if isinstance(value, Ref) and is_member(interp, value)]
    if key in found:
        return key
    which = "name" if by_name else "value"
    if not found:
        return _constant(interp, cls, key, by_name=by_name)
    kept = [value for value in found if interp.obj(value).attrs[which] == key] or found
    return kept[0] if len(kept) == 1 else Union(tuple(kept)) if kept else UNKNOWN


def _constant(interp: Interpreter, cls: Class, key: Value, *, by_name: bool) -> Value:
    """A member that stands for its value."""
    for name in _assigned(cls.node):
        value = interp.state.get(cls.frame, name)
        if isinstance(value, Const) and key == (Const(name) if by_name else value):
            return value
    return UNKNOWN


def all_of(interp: Interpreter, cls: Class) -> tuple[Value, ...] | None:
    """What a loop over an enumeration goes through; None for any other class."""
    if not is_one(interp, cls):
        return None
    held = [interp.state.get(cls.frame, name) for name in _assigned(cls.node)]
    return tuple(value for value in held if value is not None)


def is_member(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a member that is an object."""
    obj = interp.obj_of(value)
    return obj is not None and _MEMBER in obj.facts
