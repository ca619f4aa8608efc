"""``Abstract.register(cls)``: classes that are said to descend from an abstract one, which they do not name as a base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import UNKNOWN, Class, ExternalMethod, TupleValue, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Under which name the namespace of a class keeps those that are registered with it, or with one below it.
_REGISTERED = "registered:"
_NAME = "register"
#: What makes a class one that others can be registered with: a base, or a metaclass.
_ABSTRACT = frozenset({"abc.ABC", "abc.ABCMeta", "typing.Protocol"})


def begin(interp: Interpreter, cls: Class) -> None:
    """Nothing is registered yet with an abstract class that was just made."""
    above = {
        *modules.external_bases(interp, cls),
        getattr(classes.find(interp, cls, classes.METACLASS), "name", ""),
    }
    if not above.isdisjoint(_ABSTRACT):
        interp.state.set(cls.frame, _REGISTERED, TupleValue(()))


def register(interp: Interpreter, cls: Class, site: CallSite) -> Value:
    """What is registered is returned; it counts for all that the abstract class descends from."""
    told = site.value(0, "subclass") or UNKNOWN
    for each in classes.linearise(cls):
        interp.state.set(each.frame, _REGISTERED, TupleValue((*of(interp, each), told)))
    return told


def registers(wrapper: Value) -> bool:
    """Whether a decorator is ``@Abstract.register``."""
    return (
        isinstance(wrapper, ExternalMethod) and wrapper.name == _NAME and isinstance(wrapper.receiver, Class)
    )


def of(interp: Interpreter, cls: Class) -> tuple[Value, ...]:
    """What is registered with a class: an unknown value stands for what only some runs register."""
    held = interp.state.get(cls.frame, _REGISTERED)
    if held is None:
        return ()
    return held.items if isinstance(held, TupleValue) else (UNKNOWN,)
