"""The abstract state at a program point: variables of every live frame, and the heap.

A state is forked where control flow splits and joined where it meets again. It is a layer over the
library, the state in which the imported modules of the program have been executed: it holds only
what differs from that, so a fork is cheap. Forks share the variables of a frame until one of them
writes (copy on write).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from devfix.analysis.join import join_objects, join_values
from devfix.analysis.lattice import UNKNOWN_DEVICE
from devfix.analysis.values import Const, DeviceValue, Obj, Scalar, Value


@dataclass(slots=True)
class Memory:
    """Variables of frames (``id -> {name: value}``) and heap objects (``address -> Obj``)."""

    frames: dict[int, dict[str, Value]] = field(default_factory=dict)
    heap: dict[int, Obj] = field(default_factory=dict)


class State:
    """What differs from the library: frames, heap, the default device, and whether it is reached."""

    __slots__ = ("_owned", "dead", "default_device", "frames", "heap", "library")

    def __init__(self, library: Memory) -> None:
        self.library = library
        self.frames: dict[int, dict[str, Value]] = {}
        self.heap: dict[int, Obj] = {}
        self.dead = False
        self.default_device: Value | None = None
        self._owned: set[int] = set()

    def fork(self) -> State:
        """An independent copy; both go on from here."""
        other = State(self.library)
        other.frames = dict(self.frames)
        other.heap = dict(self.heap)
        other.dead = self.dead
        other.default_device = self.default_device
        self._owned = set()
        return other

    def publish(self) -> None:
        """Make everything in this state part of the library."""
        self.library.frames.update(self.frames)
        self.library.heap.update(self.heap)
        self.frames, self.heap, self._owned = {}, {}, set()

    # ------------------------------------------------------------------ variables

    def get(self, frame: int, name: str) -> Value | None:
        """The value of a variable in one frame, or None when it is not bound there."""
        return self.variables(frame).get(name)

    def variables(self, frame: int) -> dict[str, Value]:
        """All variables of one frame, to be read only."""
        found = self.frames.get(frame)
        return found if found is not None else self.library.frames.get(frame, _NO_VARIABLES)

    def set(self, frame: int, name: str, value: Value) -> None:
        """Bind a variable in one frame."""
        self._own(frame)[name] = value

    def delete(self, frame: int, name: str) -> None:
        """Unbind a variable, if it is bound."""
        if name in self.variables(frame):
            del self._own(frame)[name]

    def _own(self, frame: int) -> dict[str, Value]:
        if frame not in self._owned:
            self.frames[frame] = dict(self.variables(frame))
            self._owned.add(frame)
        return self.frames[frame]

    # ----------------------------------------------------------------------- heap

    def write(self, address: int, obj: Obj) -> None:
        """Replace (or create) a heap object."""
        self.heap[address] = obj

    def read(self, address: int) -> Obj | None:
        """The object at an address."""
        found = self.heap.get(address)
        return found if found is not None else self.library.heap.get(address)

    def objects(self) -> Iterator[tuple[int, Obj]]:
        """All objects with their addresses."""
        for address, obj in self.library.heap.items():
            if address not in self.heap:
                yield address, obj
        yield from self.heap.items()


_NO_VARIABLES: dict[str, Value] = {}


def join_states(a: State, b: State, *, split: bool = False) -> State:
    """What holds where two paths meet; a path that ended does not count. ``a`` is consumed.

    ``split`` as for :func:`~devfix.analysis.join.join_values`.
    """
    if a is b or b.dead:
        return a
    if a.dead:
        return b
    for frame in a.frames.keys() | b.frames.keys():
        theirs = b.variables(frame)
        if a.variables(frame) is not theirs and theirs:
            _join_frame(a, frame, theirs, split)
    for address in a.heap.keys() | b.heap.keys():
        obj, other = a.read(address), b.read(address)
        if other is None or other is obj:
            continue
        a.heap[address] = other if obj is None else join_objects(obj, other, split=split)
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
        earlier = before.variables(frame)
        if not earlier or earlier is variables:
            continue
        for name, value in list(variables.items()):
            wider = _wider(earlier.get(name), value)
            if wider is not None:
                state.set(frame, name, wider)
    for address, ours in list(state.heap.items()):
        theirs = before.read(address)
        if theirs is None or ours is theirs:
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
