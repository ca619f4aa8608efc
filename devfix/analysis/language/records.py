"""Records: objects of dataclasses and named tuples, another one of which can be made of the fields of one."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Obj, Tensor, TupleValue, Value
from devfix.analysis.language import cached_properties, named_tuples

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def is_of_fields(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is one of a dataclass that can be made anew of its fields alone."""
    cls = obj.cls
    if not isinstance(cls, Class) or not classes.is_dataclass(cls) or classes.is_of_attrs(cls):
        return False
    plain = all(field.is_given and not field.is_passed_on for field in classes.fields(cls))
    return plain and classes.find(interp, cls, "__post_init__") is None


def form(interp: Interpreter, value: Value) -> str:
    """``namedtuple`` or ``dataclass`` for what has such fields, tensors all, ``mixed ...`` with other things; "" for all else."""
    if isinstance(value, TupleValue):
        return _of_parts("namedtuple", value.items) if value.names else ""
    obj = interp.obj_of(value)
    if obj is None or not isinstance(obj.cls, Class):
        return ""
    if named_tuples.is_one(interp, obj):
        return "" if _makes_its_own(interp, obj.cls) else _of_parts("namedtuple", obj.attrs.values())
    told = _of_parts("dataclass", obj.attrs.values())  # first: what most of them hold is settings
    if (
        not told
        or not is_of_fields(interp, obj)
        or _makes_its_own(interp, obj.cls)
        or not _are_shown(interp, obj.cls)
    ):
        return ""
    known = {field.name for field in classes.fields(obj.cls)}
    return told if obj.attrs.keys() == known else ""


def _makes_its_own(interp: Interpreter, cls: Class) -> bool:
    """Whether a class has a way of its own to make objects, or to keep what they are given."""
    return any(classes.find(interp, cls, name) for name in ("__new__", "__init__", "__setattr__"))


def _of_parts(kind: str, parts: Iterable[Value]) -> str:
    tensors = [isinstance(part, Tensor) for part in parts]
    return "" if not any(tensors) else kind if all(tensors) else f"mixed {kind}"


def _are_shown(interp: Interpreter, cls: Class) -> bool:
    """Whether ``vars`` of an object of the class has what its constructor takes.

    It fails with slots, a cached property is there, too, and without a generated constructor none takes fields.
    """
    above = classes.linearise(cls)
    calls = (each for base in above for each in base.node.decorator_list)
    told = {word.arg for call in calls if isinstance(call, ast.Call) for word in call.keywords}
    if not told.isdisjoint({"slots", "init"}) or classes.find(interp, cls, "__slots__") is not None:
        return False
    methods = {part.name for base in above for part in base.node.body if isinstance(part, ast.FunctionDef)}
    return not any(cached_properties.is_cached(interp, cls, name) for name in methods)
