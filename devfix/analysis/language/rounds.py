"""Rounds: what the rounds of a loop do to numbers and to how long lists are, and when another one would find nothing new."""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.state import State, both, parted
from devfix.analysis.domain.values import Const, Obj, Scalar, Value
from devfix.analysis.language import list_places

#: The kinds of objects that items are put into.
_GROWING = frozenset({"list", "module"})


def widen(state: State, before: State, made: dict[int, Obj]) -> set[str]:
    """Forget the numbers that one round of a loop changed, as the next rounds will, and return the names they go by.

    How long a list has become is such a number, too. ``made`` has what lists and modules were at the end of the round
    in which they came to be, and is added to.
    """
    names = set[str]()
    frames, heap = parted(state, before)
    for frame in frames & state.layer.live.keys():
        earlier = before.bound(frame)
        for name, value in list(state.bound(frame).items()):
            known = earlier.get(name)
            if known is value:
                continue
            state.asked(frame, name)
            wider = _wider(known, value)
            if wider is not None:
                state.set(frame, name, wider)
                names.add(name)
    for address in heap:
        ours, theirs = both(state, before, address)
        if ours is not None and theirs is None and ours.kind in _GROWING and ours.items:
            if _is_longer(made.setdefault(address, ours), ours):
                state.write(address, list_places.grown(ours, len(ours.items)))
        if ours is None or theirs is None or ours is theirs:
            continue
        changes = {
            name: wider
            for name, value in ours.attrs.items()
            if (wider := _wider(theirs.attrs.get(name), value)) is not None
        }
        if _is_longer(theirs, ours):
            ours = list_places.grown(ours, len(ours.items or ()))
            state.write(address, ours)
        if changes:
            state.write(address, replace(ours, attrs={**ours.attrs, **changes}))
            names.update(changes)
    return names


def _is_longer(before: Obj, after: Obj) -> bool:
    """Whether a round has put further items into a list, as the next rounds will."""
    if before.items is None or after.items is None or after.items is before.items:
        return False
    return after.kind in _GROWING and len(after.items) > len(before.items)


def is_settled(state: State, before: State) -> bool:
    """Whether a round of a loop left everything that was there before as it was, but for numbers.

    Another round would then only do the same again.
    """
    frames, heap = parted(state, before)
    for frame in frames & state.layer.live.keys():
        now = state.bound(frame)
        for name, value in before.bound(frame).items():
            if now.get(name) is value:
                continue
            state.asked(frame, name)
            if not _is_like(value, now.get(name)):
                return False
    pairs = (both(state, before, address) for address in heap)
    return all(earlier is None or earlier is now or earlier == now for now, earlier in pairs)


def _is_like(before: Value, after: Value | None) -> bool:
    if after is before or after == before:
        return True
    kinds = [scalar_type(value) for value in (before, after) if value is not None]
    return len(kinds) == 2 and set(kinds) <= {"int", "float"}


def _wider(before: Value | None, after: Value) -> Value | None:
    """The number that changed, as any number of its type."""
    if not isinstance(after, Const) or not isinstance(before, Const) or before == after:
        return None
    if isinstance(after.value, bool) or not isinstance(after.value, (int, float)):
        return None
    return Scalar(type(after.value).__name__)
