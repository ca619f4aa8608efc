"""Protocols: classes that what has their members is an instance of, whatever it descends from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Value
from devfix.analysis.nn import modules
from devfix.analysis.text.syntax import remembered
from devfix.analysis.torch_model.modules.part_names import OF_MODULES

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
#: What a class is asked for whether it stands in for others' instances.
_OWN_CHECKS = ("__subclasshook__", "__instancecheck__")
#: Members of every class, which make no protocol.
_OF_EACH = frozenset({"__init__", "__new__", "__slots__", "__doc__", "__class_getitem__", "__match_args__"})
#: Methods of every module besides those with public names and those of every object.
_OF_MODULES = frozenset({"__call__", "__getattr__", "__setstate__"})
#: Bases from outside the project of which all methods are known.
_KNOWN_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "torch.nn.Module", *_PROTOCOLS})


def is_told_by_members(interp: Interpreter, cls: Class) -> bool:
    """Whether who is an instance of a class does not depend on what it descends from alone."""
    metaclass = classes.find(interp, cls, classes.METACLASS)
    asked = (cls, metaclass) if isinstance(metaclass, Class) else (cls,)
    if any(classes.find(interp, each, name) is not None for each in asked for name in _OWN_CHECKS):
        return True
    return _is_protocol(interp, cls)


def has_members(interp: Interpreter, value: Value, cls: Class) -> bool | None:
    """Whether a value has all that a protocol asks for; None where that is not known."""
    obj = interp.obj_of(value)
    if obj is None or not isinstance(obj.cls, Class) or not _is_protocol(interp, cls):
        return None
    missing = [
        (name, is_method)
        for each in classes.linearise(cls)
        for name, is_method in _members(each.node)
        if name not in obj.attrs
        and classes.find(interp, obj.cls, name) is None
        and not _is_inherited(interp, obj.cls, name)
    ]
    if not missing:
        return True
    computed = classes.find(interp, obj.cls, "__getattr__") is not None
    strange = modules.has_strange_base(interp, obj.cls) or not _KNOWN_BASES.issuperset(
        modules.external_bases(interp, obj.cls)
    )
    return None if computed or strange or not any(is_method for _, is_method in missing) else False


def _is_inherited(interp: Interpreter, cls: Class, name: str) -> bool:
    """Whether a class has an attribute of that name from outside the project: from ``object``, or as a module."""
    if hasattr(object(), name):
        return True
    named = name in OF_MODULES or name in _OF_MODULES
    return named and modules.is_module_class(interp, cls)


def _is_protocol(interp: Interpreter, cls: Class) -> bool:
    """Whether a class is a protocol itself; what descends from one is a class like others."""
    outside = (base for base in cls.bases if not isinstance(base, Class))
    return any(name in _PROTOCOLS for base in outside for name in modules.external_bases(interp, base))


@remembered
def _members(node: ast.ClassDef) -> tuple[tuple[str, bool], ...]:
    """The names that the body of a class gives to something, and whether each is a method."""
    found: dict[str, bool] = {}
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[statement.name] = not statement.decorator_list
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found[statement.target.id] = False
        elif isinstance(statement, ast.Assign):
            found.update((each.id, False) for each in statement.targets if isinstance(each, ast.Name))
    return tuple((name, is_method) for name, is_method in found.items() if name not in _OF_EACH)
