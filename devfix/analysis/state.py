"""The abstract state at a program point: variables of every live frame, and the heap.

A state is forked where control flow splits and joined where it meets again. Forks share their
dictionaries until one of them writes (copy on write), so a fork costs the number of frames and
objects only in pointers.
"""

from __future__ import annotations

from dataclasses import replace

from devfix.analysis.join import join_objects, join_values
from devfix.analysis.lattice import UNKNOWN_DEVICE
from devfix.analysis.values import Const, DeviceValue, Obj, Scalar, Value


class State:
    """Frames (``id -> {name: value}``), the heap (``address -> Obj``) and whether it is reached."""

    __slots__ = ("_owned", "changed", "dead", "default_device", "frames", "heap")

    def __init__(self) -> None:
        self.frames: dict[int, dict[str, Value]] = {}
        self.heap: dict[int, Obj] = {}
        self.dead = False
        self.default_device: Value | None = None
        self._owned: set[int] = set()
        self.changed: set[int] = set()

    def fork(self) -> State:
        """An independent copy; both go on from here."""
        other = State.__new__(State)
        other.frames = dict(self.frames)
        other.heap = dict(self.heap)
        other.dead = self.dead
        other.default_device = self.default_device
        other._owned = set()
        other.changed = set(self.changed)
        self._owned = set()
        return other

    # ------------------------------------------------------------------ variables

    def get(self, frame: int, name: str) -> Value | None:
        """The value of a variable in one frame, or None when it is not bound there."""
        variables = self.frames.get(frame)
        return variables.get(name) if variables is not None else None

    def set(self, frame: int, name: str, value: Value) -> None:
        """Bind a variable in one frame."""
        self._own(frame)[name] = value

    def delete(self, frame: int, name: str) -> None:
        """Unbind a variable, if it is bound."""
        if name in self.frames.get(frame, {}):
            del self._own(frame)[name]

    def _own(self, frame: int) -> dict[str, Value]:
        if frame not in self._owned:
            self.frames[frame] = dict(self.frames.get(frame, ()))
            self._owned.add(frame)
        return self.frames[frame]

    # ----------------------------------------------------------------------- heap

    def write(self, address: int, obj: Obj) -> None:
        """Replace (or create) a heap object."""
        self.heap[address] = obj
        self.changed.add(address)


def join_states(a: State, b: State, *, split: bool = False) -> State:
    """What holds where two paths meet; a path that ended does not count. ``a`` is consumed.

    ``split`` as for :func:`~devfix.analysis.join.join_values`.
    """
    if a is b or b.dead:
        return a
    if a.dead:
        return b
    for frame, variables in b.frames.items():
        mine = a.frames.get(frame)
        if mine is None:
            a.frames[frame] = variables
            a._owned.discard(frame)
        elif mine is not variables:
            _join_frame(a, frame, variables, split)
    for address in b.changed | a.changed:
        theirs = b.heap.get(address)
        ours = a.heap.get(address)
        if theirs is None or theirs is ours:
            continue
        a.heap[address] = theirs if ours is None else join_objects(ours, theirs, split=split)
    a.changed |= b.changed
    if a.default_device != b.default_device:
        a.default_device = DeviceValue(UNKNOWN_DEVICE)
    return a


def _join_frame(a: State, frame: int, theirs: dict[str, Value], split: bool) -> None:
    ours = a._own(frame)
    for name, value in theirs.items():
        mine = ours.get(name)
        if mine is None:
            ours[name] = value
        elif mine is not value:
            ours[name] = join_values(mine, value, split=split)


def widen(state: State, before: State) -> None:
    """Forget the numbers that one round of a loop changed: the next rounds will change them too."""
    for frame, variables in state.frames.items():
        earlier = before.frames.get(frame)
        if earlier is None or earlier is variables:
            continue
        for name, value in list(variables.items()):
            wider = _wider(earlier.get(name), value)
            if wider is not None:
                state.set(frame, name, wider)
    for address in state.changed:
        ours, theirs = state.heap.get(address), before.heap.get(address)
        if ours is None or theirs is None or ours is theirs:
            continue
        changes = {
            name: wider
            for name, value in ours.attrs.items()
            if (wider := _wider(theirs.attrs.get(name), value)) is not None
        }
        if changes:
            state.write(address, replace(ours, attrs={**ours.attrs, **changes}))


def _wider(before: Value | None, after: Value) -> Value | None:
    """The number that changed, as any number of its type."""
    if not isinstance(after, Const) or not isinstance(before, Const) or before == after:
        return None
    if isinstance(after.value, bool) or not isinstance(after.value, (int, float)):
        return None
    return Scalar(type(after.value).__name__)
