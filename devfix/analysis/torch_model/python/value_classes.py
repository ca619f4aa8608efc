"""The classes of values, and how classes compare."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    Const,
    External,
    Scalar,
    Tensor,
    TupleValue,
    Union,
    Value,
    members,
)
from devfix.analysis.language import iteration, named_tuples
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Layers as everybody calls them: none has two such names, and but for the lazy ones they stay what they are.
_LAYER = re.compile(r"torch\.nn\.(?!Lazy)[A-Z]\w*")


def class_of(interp: Interpreter, value: Value) -> Value:
    """What ``type(value)`` gives; ``torch.Tensor`` wherever the tensor is."""
    if isinstance(value, TupleValue):
        return named_tuples.class_of(value) if value.names else External("builtins.tuple")
    if isinstance(value, Tensor) and not value.parameter:
        return External("torch.Tensor", asked=True)  # wherever it is, and whatever its dtype
    if isinstance(value, Array):
        return External("numpy.ndarray")
    if value == NONE:
        return External("types.NoneType")
    obj = interp.obj_of(value)
    if obj is not None and obj.kind in ("list", "dict") and obj.cls == UNKNOWN:
        return External(f"builtins.{obj.kind}")
    return obj.cls if obj is not None else UNKNOWN


def are_same(left: Value, right: Value) -> bool | None:
    """Whether two classes are one: a class has several names in its package, and none in another one."""
    if named_tuples.is_type(left) or named_tuples.is_type(right):
        other = right if named_tuples.is_type(left) else left
        return False if isinstance(other, (External, Class)) else None
    if not isinstance(left, (External, Class)) or not isinstance(right, (External, Class)):
        return None
    if isinstance(left, Class) and isinstance(right, Class):
        return True if left == right else None if left.node is right.node else False
    if isinstance(left, External) and isinstance(right, External):
        if left.name == right.name:
            return True
        if _LAYER.fullmatch(left.name) and _LAYER.fullmatch(right.name):
            return False
    packages = [side.name.partition(".")[0] if isinstance(side, External) else "" for side in (left, right)]
    return None if packages[0] == packages[1] != "builtins" else False


def asked_for(interp: Interpreter, node: ast.expr) -> ast.expr | None:
    """``x`` of ``type(x)`` and of ``x.__class__``."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__class__" else None
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    return node.args[0] if interp.eval(node.func) == External("builtins.type") else None


def those(interp: Interpreter, value: Union, cls: Value, *, same: bool) -> Value:
    """Of what a value may be, that whose class can be this one, or another one."""
    kept = tuple(m for m in value.members if are_same(class_of(interp, m), cls) in (same, None))
    return value if not kept else kept[0] if len(kept) == 1 else Union(kept)


def is_among(item: Value, options: tuple[Value, ...]) -> bool | None:
    """Whether a class is one of some."""
    answers = {are_same(item, option) for option in options}
    return True if True in answers else None if None in answers or not answers else False


def issubclass_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``issubclass(cls, classes)``."""
    cls, classinfo = site.value(0), site.value(1)
    if cls is None or classinfo is None:
        return Scalar("bool")
    options = iteration.exact_items(interp, classinfo) or members(classinfo)
    answers = {_descends(interp, cls, option) for option in options}
    if True in answers:
        return Const(True)
    return Scalar("bool") if None in answers or not answers else Const(False)


def _descends(interp: Interpreter, cls: Value, option: Value) -> bool | None:
    if are_same(cls, option):
        return True
    own = built_in(cls)
    if isinstance(cls, Class):
        if isinstance(option, Class):
            return any(each.node is option.node for each in classes.linearise(cls)) or None
        own = _above(interp, cls)
    above = built_in(option)
    if own is not None and above is not None:
        return issubclass(own, above)
    return False if cls == External("torch.Tensor", asked=True) and above not in (None, object) else None


def _above(interp: Interpreter, cls: Class) -> type | None:
    """Which of Python's classes a class of the project descends from; None where something unknown may be above it."""
    if named_tuples.fields_of(interp, cls):
        return tuple
    outer = {*modules.external_bases(interp, cls)} - {"builtins.object", "torch.nn.Module"}
    return None if outer or modules.has_strange_base(interp, cls) else object


def built_in(cls: Value) -> type | None:
    """The class of Python's that a value stands for."""
    if named_tuples.is_type(cls):
        return tuple
    package, _, last = cls.name.partition(".") if isinstance(cls, External) else ("", "", "")
    found = getattr(builtins, last, None) if package == "builtins" else None
    return found if isinstance(found, type) else None


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "builtins.issubclass": issubclass_,
}
