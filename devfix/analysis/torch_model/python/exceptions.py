"""Exceptions: what one of Python's own carries, and one of a class of the project that descends from those."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Const, External, Obj, Ref, Scalar, TupleValue, Value
from devfix.analysis.language import unknown_code

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: What an exception was made with.
ARGS = "args"
_OWN = {
    f"builtins.{name}"
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
#: They have to be made of several others.
_GROUPS = {"builtins.BaseExceptionGroup", "builtins.ExceptionGroup"}


def describes(base: str) -> bool:
    """Whether a class is an exception of Python's own."""
    return base in _OWN


def keep(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``BaseException.__init__``, and ``__new__``, keep what they are given."""
    obj = interp.obj(ref)
    computed = classes.find(interp, obj.cls, ARGS) if isinstance(obj.cls, Class) else None
    if not site.open and computed is None:
        interp.update(ref, obj.with_attr(ARGS, _given(site)))


def _given(site: CallSite) -> TupleValue:
    return TupleValue(tuple(arg.value for arg in site.args))


def made(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``ValueError("no", x)``, of which something is known where it carries more than texts and numbers."""
    given = _given(site)
    if site.open or all(isinstance(each, (Const, Scalar)) for each in given.items):
        return unknown_code.call(interp, site)
    value = {"value": given.items[0]} if name.endswith(".StopIteration") else {}
    return interp.new(Obj("external", External(name), attrs={ARGS: given, **value}))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(_OWN - _GROUPS, made)
