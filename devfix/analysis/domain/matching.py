"""Matching: whether two runs of a call came to the same, whatever numbers they gave to what they made.

``==`` asks what a value is, and not where it came from; here lives count as well. Up to some moment, the
``birth``, the two runs were one: older frames and addresses are the same in both. Younger ones match when all
that is reached through them does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from devfix.analysis.domain.state import State, parted
from devfix.analysis.domain.values import Class, Const, Function, Obj, Ref, Tensor, Value

#: All frames and objects are older.
_NEVER = 1 << 200
#: Fields that hold the number of a frame or an address.
_NUMBERS = {Ref: ("address",), Tensor: ("owner",), Function: ("frame",), Class: ("frame",)}
#: Objects that nobody looks for: where nothing leads to them, nothing depends on them.
_PLAIN = ("list", "dict", "set")

_PARTS: dict[type, tuple[str, ...]] = {}


class Matching:
    """The frames and objects of one state that stand for those of another, as far as they were compared."""

    def __init__(self, birth: int, ours: State, theirs: State) -> None:
        self._birth = birth
        self._ours, self._theirs = ours, theirs
        self._matched: dict[int, int] = {}
        self._taken: dict[int, int] = {}
        self._pending: list[tuple[int, int]] = []

    def is_same(
        self, ours: Any, theirs: Any, live: Mapping[int, int | None], own: int, used: frozenset[str]
    ) -> bool:
        """Whether two calls gave the same away and left all that can be reached the same behind.

        Of the calls' ``own`` frame only the names count that are ``used`` by what outlives it.
        """
        a, b = self._ours, self._theirs
        if (a.dead, a.used, a.hidden) != (b.dead, b.used, b.hidden) or not self._same(
            a.default_device, b.default_device
        ):
            return False
        frames, heap = parted(a, b)
        older = [frame for frame in frames if frame < self._birth and frame in live and frame != own]
        kept = [
            {name: value for name, value in state.variables(own).items() if name in used} for state in (a, b)
        ]
        return (
            self._same(ours, theirs)
            and (own not in live or self._same(*kept))
            and all(self._same(a.variables(frame), b.variables(frame)) for frame in older)
            and all(self._same(a.read(each), b.read(each)) for each in heap if each < self._birth)
            and self._same_reached()
            and self._same_rest(heap)
        )

    def same(self, ours: Any, theirs: Any) -> bool:
        """Whether two values are the same, up to what they refer to."""
        return self._same(ours, theirs)

    def _same_reached(self) -> bool:
        while self._pending:
            ours, theirs = self._pending.pop()
            if not self._same(self._ours.read(ours), self._theirs.read(theirs)):
                return False
            if not self._same(self._ours.variables(ours), self._theirs.variables(theirs)):
                return False
        return True

    def _same_rest(self, heap: set[int]) -> bool:
        """What nothing leads to may still be looked for: a model that nobody holds, say."""
        young = sorted(each for each in heap if each >= self._birth)
        ours = [each for each in young if each not in self._matched and _counts(self._ours, each)]
        theirs = [each for each in young if each not in self._taken and _counts(self._theirs, each)]
        same = len(ours) == len(theirs) and all(map(self._same_number, ours, theirs))
        return same and self._same_reached()

    def _same_number(self, ours: int, theirs: int) -> bool:
        if ours < self._birth or theirs < self._birth:
            return ours == theirs
        if ours in self._matched or theirs in self._taken:
            return self._matched.get(ours) == theirs
        self._matched[ours], self._taken[theirs] = theirs, ours
        self._pending.append((ours, theirs))
        return True

    def _same(self, a: Any, b: Any) -> bool:
        if a is b:
            return True  # what both have is from the time when they were one
        kind = a.__class__
        if kind is not b.__class__:
            return isinstance(a, Mapping) and isinstance(b, Mapping) and self._same_entries(a, b)
        if issubclass(kind, tuple):
            return len(a) == len(b) and all(map(self._same, a, b))
        if isinstance(a, (Value, Obj)) and kind is not Const:
            return self._same_parts(a, b)
        return self._same_entries(a, b) if isinstance(a, Mapping) else bool(a == b)

    def _same_parts(self, a: Any, b: Any) -> bool:
        for name in _NUMBERS.get(a.__class__, ()):
            ours, theirs = getattr(a, name), getattr(b, name)
            if ours is None or theirs is None:
                if ours is not theirs:
                    return False
            elif not self._same_number(ours, theirs):
                return False
        return all(self._same(getattr(a, name), getattr(b, name)) for name in _parts(a.__class__))

    def _same_entries(self, a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        return list(a) == list(b) and all(map(self._same, a.values(), b.values()))


class Sameness(Matching):
    """Tells whether values are the same, numbers of frames and objects included: all of these are older."""

    def __init__(self, state: State) -> None:
        super().__init__(_NEVER, state, state)
        #: What was compared part by part, and what that came to; the same two are met again and again.
        self._compared: dict[tuple[int, int], tuple[Any, Any, bool]] = {}

    def _same_parts(self, a: Any, b: Any) -> bool:
        key = id(a), id(b)
        known = self._compared.get(key)
        if known is None:
            known = self._compared[key] = a, b, super()._same_parts(a, b)
        return known[2]


def _parts(kind: type) -> tuple[str, ...]:
    """The fields of a record that are compared as they are."""
    known = _PARTS.get(kind)
    if known is None:
        numbers = _NUMBERS.get(kind, ())
        known = _PARTS[kind] = tuple(
            each.name for each in fields(kind) if each.name not in (*numbers, "above")
        )
    return known


def _counts(state: State, address: int) -> bool:
    obj = state.read(address)
    return obj is not None and obj.kind not in _PLAIN
