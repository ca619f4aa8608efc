"""Declared fields: what ``dataclasses.field`` says of a field, be it called by the class's body or by a function of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import UNKNOWN, Class, External, Obj, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

_FIELD = External("dataclasses.Field")


def declare(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``field(default=..., metadata=...)``; with keywords that nobody knows more may have been said."""
    told = {key: arg.value for key, arg in site.keywords.items()}
    return interp.new(Obj("external", _FIELD, attrs=told, element=UNKNOWN if site.open else None))


def take(interp: Interpreter, cls: Class) -> None:
    """A class was just made: what it says of its fields is kept apart, and the attributes are the defaults."""
    for name, value in list(interp.state.variables(cls.frame).items()):
        obj = interp.obj_of(value)
        if obj is not None and obj.cls == _FIELD:
            interp.state.set(cls.frame, _key(name), value)
            interp.state.set(cls.frame, name, obj.attrs.get("default", UNKNOWN))


def of(interp: Interpreter, field: classes.Field) -> Obj | None:
    """What the class said of a field; None where it called nothing that is known to say so."""
    return interp.obj_of(interp.state.get(field.owner.frame, _key(field.name)))


def _key(name: str) -> str:
    """Under which name the namespace of a class keeps what was said of a field."""
    return f"field:{name}"
