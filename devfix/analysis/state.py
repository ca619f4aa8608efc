"""The abstract state at a program point: variables of every live frame, and the heap.

A state is forked where control flow splits and joined where it meets again. Forks share their
dictionaries until one of them writes (copy on write), so a fork costs the number of frames and
objects only in pointers.
"""

from __future__ import annotations

from devfix.analysis.join import join_objects, join_values
from devfix.analysis.lattice import UNKNOWN_DEVICE
from devfix.analysis.values import DeviceValue, Obj, Value


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


def join_states(a: State, b: State) -> State:
    """What holds where two paths meet; a path that ended does not count. ``a`` is consumed."""
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
            _join_frame(a, frame, variables)
    for address in b.changed | a.changed:
        theirs = b.heap.get(address)
        ours = a.heap.get(address)
        if theirs is None or theirs is ours:
            continue
        a.heap[address] = theirs if ours is None else join_objects(ours, theirs)
    a.changed |= b.changed
    if a.default_device != b.default_device:
        a.default_device = DeviceValue(UNKNOWN_DEVICE)
    return a


def _join_frame(a: State, frame: int, theirs: dict[str, Value]) -> None:
    ours = a._own(frame)
    for name, value in theirs.items():
        mine = ours.get(name)
        if mine is None:
            ours[name] = value
        elif mine is not value:
            ours[name] = join_values(mine, value)
