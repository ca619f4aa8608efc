"""Parameters that a module registers and others hold as well: a move of the module moves them, too.

Others are plain objects of its own, what ``partial`` makes, and variables of the functions being executed, with the objects that these
stand for. A variable may hold a parameter of another module that was made in the same place, so where it is after the move is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import tuple_elements
from devfix.analysis.domain.lattice import join_devices, join_dtypes
from devfix.analysis.domain.values import (
    Function,
    Obj,
    Partial,
    Ref,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Value,
    members,
)
from devfix.analysis.nn import modules, reach
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


@dataclass(frozen=True)
class _Now:
    """Parameters as they are after a move, by where they were made, and the modules that were moved."""

    interp: Interpreter
    made: dict[Origin, Tensor]
    parts: frozenset[int]

    def of(self, value: Tensor) -> Tensor | None:
        """What a parameter has become, or the first one of its module; None where that was not moved."""
        found = self.made.get(value.trail[0]) if value.trail else None
        if found is not None or value.owner not in self.parts or value.owner is None:
            return found
        typical = modules.first_parameter(self.interp, Ref(value.owner))
        return typical and replace(typical, dtype=join_dtypes(value.dtype, typical.dtype), typed=())


@dataclass(frozen=True)
class Shared:
    """Who holds parameters beside the modules of a tree, and which parameters those are."""

    #: Plain objects within the modules' reach.
    holders: list[Ref]
    #: Variables: the frame and the name of each.
    variables: list[tuple[int, str]]
    #: Lists, dicts and plain objects that variables stand for.
    lists: list[Ref]
    #: Of each parameter where it was made, its module and its name there.
    parameters: list[tuple[Origin, Ref, str]]
    #: The modules of the tree.
    parts: list[Ref]


#: What keeps objects and is no module.
_PLAIN = ("instance", "list", "dict")


def of(interp: Interpreter, ref: Ref) -> Shared:
    """Who holds parameters of a module and its parts: plain objects that these keep, and variables."""
    parts = modules.tree(interp, ref)
    frames = _frames(interp, parts)
    holders, variables = _holders(interp, parts), list(_variables(interp, frames, _is_parameter))
    listing = _variables(interp, frames, lambda value: _keeps_parameters(interp, value))
    named = (interp.state.get(frame, name) for frame, name in listing)
    lists = list(dict.fromkeys(each for each in named if isinstance(each, Ref) and each not in holders))
    found = [
        (held.trail[0], part, name)
        for part in (parts if holders or variables or lists else ())
        for name, held in modules.registered(interp.obj(part))
        if held.parameter and held.trail
    ]
    return Shared(holders, variables, lists, found, parts)


def _keeps_parameters(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a list, dict or plain object that holds a parameter; what a module has handed out follows by itself."""
    obj = interp.obj_of(value) if isinstance(value, Ref) else None
    if obj is None or obj.kind not in _PLAIN or modules.is_module(interp, value):
        return False
    return any(getattr(each, "owner", None) is None and _is_parameter(each) for each in _values(obj))


def _frames(interp: Interpreter, parts: list[Ref]) -> list[int]:
    """Where variables may hold parameters: functions being executed, a file where its own statements are, and what is around functions.

    The latter are those that a module or one of the variables stands for. A call does not look through all that its file binds: what it
    tells would depend on every name there.
    """
    executed = [frame for frame in interp.stack if frame.kind != "module" or frame is interp.frame]
    found = dict.fromkeys(frame.id for frame in executed)
    named = (value for frame in executed for value in interp.state.variables(frame.id).values())
    kept = (value for part in parts for value in interp.obj(part).attrs.values())
    for value in (*named, *kept):
        around = value.frame if isinstance(value, Function) else None
        while around is not None and around not in found and interp.parents.get(around) is not None:
            found[around] = None
            around = interp.parents.get(around)
    return list(found)


def _variables(
    interp: Interpreter, frames: list[int], wanted: Callable[[Value], bool]
) -> Iterator[tuple[int, str]]:
    """The variables that hold what is wanted."""
    for frame in frames:
        for name, value in interp.state.variables(frame).items():
            if wanted(value):
                yield frame, name


def _is_parameter(value: Value) -> bool:
    """Whether a value is a parameter, may be one, or is a tuple that holds one, or a call that is given one."""
    if isinstance(value, Union):
        return any(map(_is_parameter, value.members))
    if isinstance(value, Partial):
        return any(map(_is_parameter, reach.within(value)))
    if isinstance(value, (TupleValue, Sequence)):
        return any(map(_is_parameter, tuple_elements(value)))
    return isinstance(value, Tensor) and value.parameter


def _holders(interp: Interpreter, parts: list[Ref]) -> list[Ref]:
    """The plain objects within reach of modules that hold a parameter, and the modules that hold one in a call."""
    seen = {part.address for part in parts}
    pending = [held for part in parts for held in _plain(interp, interp.obj(part))]
    found = [part for part in parts if any(map(_is_given_parameter, interp.obj(part).attrs.values()))]
    while pending:
        current = pending.pop()
        if current.address in seen:
            continue
        seen.add(current.address)
        obj = interp.obj(current)
        if any(map(_is_parameter, _values(obj))):
            found.append(current)
        pending.extend(_plain(interp, obj))
    return found


def _is_given_parameter(value: Value) -> bool:
    return any(isinstance(member, Partial) and _is_parameter(member) for member in members(value))


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
    if not shared.parameters:
        return
    now = _Now(interp, {}, frozenset(part.address for part in shared.parts))
    for made, part, name in shared.parameters:
        held = [held for own, held in modules.registered(interp.obj(part)) if own == name]
        now.made.update((made, each) for each in held)
    for certainly, holders in ((True, shared.holders), (False, shared.lists)):
        for holder in holders:
            obj = interp.obj(holder)
            own = holder.address in now.parts  # what it registers itself has been moved
            attrs = {
                name: value if own and isinstance(value, Tensor) else _moved(value, now, certainly=certainly)
                for name, value in obj.attrs.items()
            }
            if not own:
                items = obj.items and tuple(_moved(item, now, certainly=certainly) for item in obj.items)
                obj = replace(
                    obj, items=items, element=obj.element and _moved(obj.element, now, certainly=certainly)
                )
            interp.update(holder, replace(obj, attrs=attrs))
    for frame, name in shared.variables:
        value = interp.state.get(frame, name)
        if value is not None:
            interp.state.set(frame, name, _moved(value, now, certainly=False))


def _moved(value: Value, now: _Now, *, certainly: bool = True) -> Value:
    """A value after the move; what may be a parameter of another module is moved or not."""
    if isinstance(value, Union):
        parts = tuple(_moved(member, now, certainly=certainly) for member in value.members)
        usual = value.usual and _moved(value.usual, now, certainly=certainly)
        return Union(parts, usual)
    if isinstance(value, Partial):
        keywords = tuple((name, _moved(given, now, certainly=certainly)) for name, given in value.keywords)
        return replace(
            value, args=tuple(_moved(arg, now, certainly=certainly) for arg in value.args), keywords=keywords
        )
    if isinstance(value, TupleValue):
        return value.with_items(_moved(part, now, certainly=certainly) for part in value.items)
    if isinstance(value, Sequence):
        row = tuple(_moved(part, now, certainly=certainly) for part in value.row)
        return replace(value, element=_moved(value.element, now, certainly=certainly), row=row)
    own = now.of(value) if isinstance(value, Tensor) and value.parameter else None
    if own is None or not isinstance(value, Tensor):
        return value
    if not certainly and value.owner not in now.parts:
        device, dtype = join_devices(value.device, own.device), join_dtypes(value.dtype, own.dtype)
        return replace(value, device=device, dtype=dtype)
    return replace(
        value, device=own.device, dtype=own.dtype, trail=own.trail, roots=own.roots, typed=own.typed,
        split=own.split,
    )  # fmt: skip
