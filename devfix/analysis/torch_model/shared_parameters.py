"""Parameters that a module registers and a plain object of its own holds as well: a move of the module moves both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from devfix.analysis import modules
from devfix.analysis.copying import replace
from devfix.analysis.values import Obj, Ref, Tensor, Value, members
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Objects beside modules that hold parameters, and of each parameter where it was made, its module and its name there.
Shared: TypeAlias = tuple[list[Ref], list[tuple[Origin, Ref, str]]]

#: What keeps objects and is no module.
_PLAIN = ("instance", "list", "dict")


def of(interp: Interpreter, ref: Ref) -> Shared:
    """The plain objects that a module and its parts keep in attributes, and the parameters that they may hold."""
    parts = modules.tree(interp, ref)
    holders = _holders(interp, parts)
    found = [
        (held.trail[0], part, name)
        for part in (parts if holders else ())
        for name, held in modules.registered(interp.obj(part))
        if held.parameter and held.trail
    ]
    return holders, found


def _holders(interp: Interpreter, parts: list[Ref]) -> list[Ref]:
    """The plain objects within reach of modules that hold a parameter."""
    seen = {part.address for part in parts}
    pending = [held for part in parts for held in _plain(interp, interp.obj(part))]
    found = []
    while pending:
        current = pending.pop()
        if current.address in seen:
            continue
        seen.add(current.address)
        obj = interp.obj(current)
        if any(isinstance(held, Tensor) and held.parameter for held in _values(obj)):
            found.append(current)
        pending.extend(_plain(interp, obj))
    return found


def _values(obj: Obj) -> Iterator[Value]:
    yield from obj.attrs.values()
    yield from obj.items or ()
    if obj.element is not None:
        yield obj.element


def _plain(interp: Interpreter, obj: Obj) -> Iterator[Ref]:
    """What of an object's attributes and items is an object of the project, a list or a dict."""
    for value in _values(obj):
        for member in members(value):
            held = interp.obj_of(member)
            if held is not None and held.kind in _PLAIN and not modules.is_module(interp, member):
                assert isinstance(member, Ref), "what has an object is a reference"
                yield member


def follow(interp: Interpreter, shared: Shared) -> None:
    """Give those who hold a parameter what its module's move made of it: it is still the same object."""
    holders, parameters = shared
    if not holders:
        return
    now: dict[Origin, Tensor] = {}
    for made, part, name in parameters:
        now.update((made, held) for own, held in modules.registered(interp.obj(part)) if own == name)
    for holder in holders:
        obj = interp.obj(holder)
        attrs = {name: _moved(value, now) for name, value in obj.attrs.items()}
        items = obj.items and tuple(_moved(item, now) for item in obj.items)
        element = obj.element and _moved(obj.element, now)
        interp.update(holder, replace(obj, attrs=attrs, items=items, element=element))


def _moved(value: Value, now: dict[Origin, Tensor]) -> Value:
    if not isinstance(value, Tensor) or not value.parameter or not value.trail:
        return value
    own = now.get(value.trail[0])
    if own is None:
        return value
    return replace(
        value, device=own.device, dtype=own.dtype, trail=own.trail, roots=own.roots, typed=own.typed
    )
