"""Snapshots: what a value is apart from the heap, as a file holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values, scalar_type
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.number_types import any_of_type
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    Const,
    ExternalMethod,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.nn import reach
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.findings import Origin

#: How deep a snapshot looks into dicts, lists and tuples.
_DEPTH = 5


@frozen
class Kept:
    """A dict, list or tuple without a heap."""

    kind: str
    attrs: Mapping[str, Snapshot]
    items: tuple[Snapshot, ...] | None = None
    element: Snapshot | None = None


#: A value without a heap: dicts, lists and tuples by their entries, everything else as it is.
Snapshot = Value | Kept


def taken(
    interp: Interpreter,
    value: Value,
    depth: int = _DEPTH,
    *,
    is_read: bool = False,
    constants: bool = False,
) -> Snapshot:
    """What a file holds of a value that is written to it; UNKNOWN where that is not known.

    Of numbers and texts it is known which they are, if those are ``constants``, and else of which type.
    Where the program that writes the file reads it as well (``is_read``), one of several dicts may have come out of it.
    """
    if isinstance(value, Tensor):
        return replace(value, parameter=False, grad=False, leaf=True, owner=None)
    if isinstance(value, Array):
        return value
    if constants and isinstance(value, Const):
        return value
    plain = any_of_type(value)
    if plain is not None:
        return plain

    def part(held: Value) -> Snapshot:
        return taken(interp, held, depth - 1, is_read=is_read, constants=constants)

    if isinstance(value, TupleValue):
        if not any(map(_is_of_heap, value.items)):
            return value
        return Kept("tuple", {}, tuple(map(part, value.items))) if depth else UNKNOWN
    if isinstance(value, Union) and is_read and depth:
        return reduce(read_and_written, map(part, value.members))
    obj = interp.obj_of(value)
    if obj is None or obj.kind not in ("dict", "list") or not depth:
        return UNKNOWN
    attrs = {key: part(item) for key, item in obj.attrs.items()}
    items = tuple(map(part, obj.items)) if obj.items is not None else None
    return Kept(obj.kind, attrs, items, part(obj.element) if obj.element is not None else None)


def _is_of_heap(value: Value) -> bool:
    """Whether a value is an object, may be one, or has one."""
    if isinstance(value, (BoundMethod, ExternalMethod)):
        return _is_of_heap(value.receiver)
    return isinstance(value, Ref) or any(map(_is_of_heap, reach.within(value)))


def read_and_written(one: Snapshot, other: Snapshot) -> Snapshot:
    """What a file holds that is written in two ways by a program that reads it; UNKNOWN where that is not the same.

    What is not known of an entry in one of two dicts mostly came out of the file, so it is what the other puts there; but where
    it was when it was written, and of which dtype, nobody knows.
    """
    if one == other:
        return one
    if not isinstance(one, Kept) or not isinstance(other, Kept) or one.kind != "dict":
        return UNKNOWN
    if one.attrs.keys() != other.attrs.keys() or _without_entries(one) != _without_entries(other):
        return UNKNOWN
    attrs = {key: _entry(part, other.attrs[key]) for key, part in one.attrs.items()}
    if one.element is None or other.element is None:
        return replace(one, attrs=attrs, element=one.element or other.element)
    return replace(one, attrs=attrs, element=_entry(one.element, other.element))


def common(one: Snapshot, other: Snapshot) -> Snapshot:
    """What is known of a file that is one of two which are put together alike; UNKNOWN where they are not."""
    if one == other:
        return one
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        joined = join_values(one, other)
        return joined if isinstance(joined, Tensor) else UNKNOWN
    if not isinstance(one, Kept) or not isinstance(other, Kept) or one.kind != other.kind:
        return UNKNOWN
    some, others = one.items or (), other.items or ()
    alike = one.attrs.keys() == other.attrs.keys() and len(some) == len(others)
    if not alike or (one.element is None) != (other.element is None):
        return UNKNOWN
    attrs = {key: common(part, other.attrs[key]) for key, part in one.attrs.items()}
    items = tuple(map(common, some, others)) if one.items is not None else None
    element = (
        common(one.element, other.element) if one.element is not None and other.element is not None else None
    )
    return Kept(one.kind, attrs, items, element)


def _without_entries(held: Kept) -> Kept:
    return replace(held, attrs={}, element=None)


def _entry(one: Snapshot, other: Snapshot) -> Snapshot:
    if UNKNOWN in (one, other):
        return _anywhere(other if one == UNKNOWN else one)
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        joined = join_values(one, other)
        return joined if isinstance(joined, Tensor) else UNKNOWN
    return read_and_written(one, other)


def _anywhere(part: Snapshot) -> Snapshot:
    """What is of the same kind, and has its tensors anywhere."""
    if isinstance(part, Tensor):
        return replace(part, device=UNKNOWN_DEVICE, dtype=None)
    if isinstance(part, TupleValue):
        return TupleValue(tuple(item if scalar_type(item) else UNKNOWN for item in part.items))
    if not isinstance(part, Kept):
        return part if scalar_type(part) else UNKNOWN
    attrs = {key: _anywhere(item) for key, item in part.attrs.items()}
    items = tuple(map(_anywhere, part.items)) if part.items is not None else None
    return Kept(part.kind, attrs, items, _anywhere(part.element) if part.element is not None else None)


def restored(interp: Interpreter, held: Snapshot, made: Origin, load: Callable[[Value], Value]) -> Value:
    """The value that is read at ``made``; ``load`` says what becomes of each part that holds no other."""

    def part(inner: Snapshot) -> Value:
        return restored(interp, inner, made, load)

    if isinstance(held, TupleValue):
        return TupleValue(tuple(map(part, held.items)))
    if not isinstance(held, Kept):
        return load(held)
    if held.kind == "tuple":
        return TupleValue(tuple(map(part, held.items or ())))
    attrs = {key: part(item) for key, item in held.attrs.items()}
    items = tuple(map(part, held.items)) if held.items is not None else None
    element = part(held.element) if held.element is not None else None
    return interp.new(Obj(held.kind, attrs=attrs, items=items, element=element, trail=(made,)))
