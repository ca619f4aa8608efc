"""Member names: what ``dir`` tells of an object, a class or a file of the project, and ``inspect.getmembers`` of its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Namespace,
    Obj,
    Ref,
    TupleValue,
    Value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.reuse import reads

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Bases that have nothing which a program looks for by name.
_PLAIN_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})
#: What each predicate of ``inspect`` lets pass.
_KINDS: dict[Value, type[Value] | tuple[type[Value], ...]] = {
    External("inspect.ismethod"): BoundMethod,
    External("inspect.isfunction"): Function,
    External("inspect.isroutine"): (BoundMethod, Function),
    External("inspect.isclass"): Class,
}


def names(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``dir(x)``, without what every object has."""
    found = _names(interp, site.value(0)) if site.args else None
    return interp.new(Obj("list", items=tuple(map(Const, found)))) if found is not None else UNKNOWN


def members(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``inspect.getmembers(x, inspect.ismethod)``: no attribute is read that may be computed."""
    owner, kind = site.value(0, "object"), _KINDS.get(site.value(1, "predicate") or UNKNOWN)
    found = _names(interp, owner) if owner is not None and kind is not None else None
    if owner is None or kind is None or found is None:
        return UNKNOWN
    held = [(each, _read(interp, owner, each, site)) for each in found]
    pairs = [TupleValue((Const(each), value)) for each, value in held if isinstance(value, kind)]
    return interp.new(Obj("list", items=tuple(pairs)))


def _names(interp: Interpreter, owner: Value | None) -> list[str] | None:
    """The names of all that an object has, in the order of the alphabet; None where others may have put something there."""
    obj = interp.obj_of(owner)
    cls = obj.cls if obj is not None and obj.kind == "instance" else owner
    if isinstance(owner, Namespace):
        known = set(reads.all_of(interp, interp.module_frame(owner.path)))
    elif isinstance(cls, Class) and _PLAIN_BASES.issuperset(modules.external_bases(interp, cls)):
        parts = classes.linearise(cls)
        known = {each for part in parts for each in interp.state.variables(part.frame)}
        known |= set(obj.attrs if obj is not None else ())
    else:
        return None
    return sorted(filter(str.isidentifier, known))


def _read(interp: Interpreter, owner: Value, name: str, site: CallSite) -> Value:
    cls = interp.obj(owner).cls if isinstance(owner, Ref) else None
    found = classes.find(interp, cls, name) if isinstance(cls, Class) else None
    if isinstance(found, Function) and found.kind in ("property", "cached_property"):
        return UNKNOWN
    return interp.attribute(owner, name, site.node)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "builtins.dir": names,
    "inspect.getmembers": members,
}
