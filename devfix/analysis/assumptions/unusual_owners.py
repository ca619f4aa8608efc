"""What a path that a run without options does not take gives to an object that only this path makes.

A model that is wrapped and moved where an option asks for it is on the CPU in a run without options, but there is no
wrapper in that run either: whoever uses the wrapper took the other path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, Obj, Ref, Value, members

if TYPE_CHECKING:
    from devfix.analysis.domain.state import State

#: How many objects are looked at below those that only one path makes.
_MOST = 200


def owned(usual: State, other: State, frames: Iterable[int], heap: Iterable[int]) -> frozenset[int]:
    """The addresses of what is held by objects that ``other`` alone made, under a name that it alone gives."""
    named = (*_new_names(usual, other, frames), *_new_attributes(usual, other, heap))
    pending = [address for address in named if usual.held(address) is None]
    seen: set[int] = set()
    while pending and len(seen) < _MOST:
        address = pending.pop()
        if address not in seen:
            seen.add(address)
            obj = other.held(address)
            pending.extend(_held(obj) if obj is not None else ())
    return frozenset(seen)


def _new_names(usual: State, other: State, frames: Iterable[int]) -> Iterator[int]:
    for frame in frames:
        ours = usual.bound(frame)
        for name, value in other.bound(frame).items():
            if ours.get(name, NONE) == NONE:
                yield from _addresses(value)


def _new_attributes(usual: State, other: State, heap: Iterable[int]) -> Iterator[int]:
    for address in heap:
        ours, theirs = usual.held(address), other.held(address)
        if ours is None or theirs is None or ours is theirs:
            continue
        for name, value in theirs.attrs.items():
            if ours.attrs.get(name, NONE) == NONE:
                yield from _addresses(value)


def _held(obj: Obj) -> Iterator[int]:
    for value in obj.attrs.values():
        yield from _addresses(value)
    for value in obj.items or ():
        yield from _addresses(value)
    if obj.element is not None:
        yield from _addresses(obj.element)


def _addresses(value: Value) -> Iterator[int]:
    for member in members(value):
        if isinstance(member, Ref):
            yield member.address
