"""Rounds: what the rounds of a loop do to numbers and to how long lists are, and when another one would find nothing new."""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, scalar_type
from devfix.analysis.domain.state import State, differing, parted
from devfix.analysis.domain.values import Const, Obj, Ref, Scalar, Sequence, TupleValue, Value
from devfix.analysis.language import list_places

#: The kinds of objects that items are put into.
_GROWING = frozenset({"list", "module"})


#: What the list or tuple held that a name of a frame, or an attribute of an object, stood for at the end of the last round.
Rows = dict[tuple[int, str], tuple[Value, ...]]


def widen(state: State, before: State, made: dict[int, Obj], rows: Rows) -> set[str]:
    """Forget the numbers that one round of a loop changed, as the next rounds will, and return the names they go by.

    How long a list has become is such a number, too. ``made`` has what lists and modules were at the end of the round
    in which they came to be, and is added to, as ``rows`` is.
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
            wider = _wider(known, value) or _bound_longer(state, before, rows, (frame, name), known, value)
            if wider is not None:
                names.add(name)
                state.set(frame, name, wider)
    for address, ours, theirs in differing(state, before, heap):
        if ours is not None and theirs is None and ours.kind in _GROWING and ours.items:
            if _is_longer(made.setdefault(address, ours), ours):
                state.write(address, list_places.grown(ours, len(ours.items)))
        if ours is None or theirs is None:
            continue
        now = ours
        changes = _wider_attributes(state, before, rows, address, (theirs, ours))
        if _is_longer(theirs, ours):
            now = list_places.grown(ours, len(ours.items or ()))
            state.write(address, now)
        if changes:
            state.write(address, replace(now, attrs={**ours.attrs, **changes}))
            names.update(changes)
    return names


def _wider_attributes(
    state: State, before: State, rows: Rows, address: int, versions: tuple[Obj, Obj]
) -> dict[str, Value]:
    """The numbers and rows that a round changed among the attributes of an object, as the next rounds will."""
    changes = {}
    for name, value in versions[1].attrs.items():
        known = versions[0].attrs.get(name)
        if known is not value:
            wider = _wider(known, value) or _bound_longer(state, before, rows, (address, name), known, value)
            changes.update({} if wider is None else {name: wider})
    return changes


def _bound_longer(
    state: State, before: State, rows: Rows, key: tuple[int, str], known: Value | None, value: Value
) -> Value | None:
    """The list or tuple of any length that rounds make of another one, as ``kept = kept + [x]`` does; None for anything else.

    What was empty before the loop has grown only once a second round has made it longer.
    """
    items = _items(state, value)
    if items is None:
        return None
    last = rows.get(key) or (_items(before, known) if known is not None else None) or ()
    rows[key] = items
    if not last or len(items) <= len(last) or last not in (items[: len(last)], items[-len(last) :]):
        return None
    if isinstance(value, TupleValue):
        return Sequence(join_all(list(items)))
    obj = state.read(value.address) if isinstance(value, Ref) else None
    if isinstance(value, Ref) and obj is not None:
        state.write(value.address, list_places.grown(obj, len(last) if items[: len(last)] == last else 0))
    return value


def _items(state: State, value: Value) -> tuple[Value, ...] | None:
    """The items of a list or a plain tuple whose length is known."""
    if isinstance(value, TupleValue):
        return None if value.names else value.items
    obj = state.read(value.address) if isinstance(value, Ref) else None
    return obj.items if obj is not None and obj.kind == "list" and obj.element is None else None


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
    changed = differing(state, before, heap)
    return all(earlier is None or earlier == now for _, now, earlier in changed)


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
