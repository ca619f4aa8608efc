"""The abstract state at a program point: variables of every live frame, and the heap.

A state is forked where control flow splits and joined where it meets again. It is a chain of
layers, each of which holds only what differs from the one below; at the bottom is the library, in
which the imported modules of the program have been executed. So a fork copies nothing, and a join
looks only at what changed since the two states parted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from devfix.analysis.assumptions import unusual_owners
from devfix.analysis.assumptions.usual_values import at_times, like_usual, object_like_usual
from devfix.analysis.domain.join import join_objects, join_values, usually
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import (
    Const,
    DeviceValue,
    External,
    ExternalMethod,
    Obj,
    Ref,
    Unknown,
    Value,
)
from devfix.findings import Origin

Variables = dict[str, Value]

#: The fact of an object of which nothing is known but what kind of file it comes out of.
LOADED = "loaded"
_NO_VARIABLES: Mapping[str, Value] = {}


class Layer:
    """Variables of frames and heap objects as they differ from the layers below; frozen but the lowest.

    ``live`` is shared by all layers: the frames that are not left for good. The library counts how often something was
    ``published`` to it, and how often that ``changed`` what was there before.
    """

    __slots__ = ("below", "changed", "depth", "frames", "heap", "live", "published")

    def __init__(self, live: Mapping[int, int | None], below: Layer | None = None) -> None:
        self.frames: dict[int, Variables] = {}
        self.heap: dict[int, Obj] = {}
        self.live = live
        self.below = below
        self.published, self.changed = 0, 0
        self.depth: int = below.depth + 1 if below is not None else 0

    def held(self, address: int) -> Obj | None:
        """The object at an address as this layer, and those below, have it."""
        layer: Layer | None = self
        while layer is not None:
            found = layer.heap.get(address)
            if found is not None:
                return found
            layer = layer.below
        return None


class State:
    """The topmost layer, which is written to, the default device, and whether it is reached."""

    __slots__ = ("dead", "default_device", "frames", "heap", "hidden", "layer", "used")

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.frames: dict[int, Variables] = {}
        self.heap: dict[int, Obj] = {}
        self.dead = False
        self.default_device: Value | None = None
        #: Whether the program has hidden the accelerators from itself.
        self.hidden = False
        #: What put something on the accelerator for the first time; None where not every path here has.
        self.used: Origin | None = None

    def follow_default(self, chosen: Value | None) -> None:
        """Take over the default device that an imported module chose, unless another was chosen here."""
        if chosen is not None and chosen != self.default_device:
            self.default_device = DeviceValue(UNKNOWN_DEVICE) if self.default_device else chosen

    def fork(self) -> State:
        """An independent copy; both go on from here."""
        self._freeze()
        other = self._beside()
        other.dead, other.hidden = self.dead, self.hidden
        other.default_device, other.used = self.default_device, self.used
        return other

    def _beside(self) -> State:
        """A state with the same layers below."""
        return State(self.layer)

    def _freeze(self) -> None:
        """Make what was written a layer; it swallows lower ones that are not much larger, to keep chains short."""
        if not self.frames and not self.heap:
            return
        below, frames, heap = self.layer, self.frames, self.heap
        while below.below is not None and len(below.heap) + len(below.frames) <= 2 * (
            len(heap) + len(frames)
        ):
            frames, heap, below = {**below.frames, **frames}, {**below.heap, **heap}, below.below
        layer = Layer(below.live, below)
        layer.frames = {frame: variables for frame, variables in frames.items() if frame in below.live}
        layer.heap = heap
        self.layer, self.frames, self.heap = layer, {}, {}

    def publish(self) -> None:
        """Make everything in this state part of the library."""
        self._freeze()
        layers = [self.layer]
        while (below := layers[-1].below) is not None:
            layers.append(below)
        library = layers.pop()
        library.published += 1
        for layer in reversed(layers):
            inner = (frame for frame in layer.frames if library.live.get(frame) is not None)
            if any(frame in library.frames for frame in inner) or any(
                each in library.heap for each in layer.heap
            ):
                library.changed += 1
            library.frames.update(layer.frames)
            library.heap.update(layer.heap)
        self.layer = library

    def get(self, frame: int, name: str) -> Value | None:
        """The value of a variable in one frame, or None when it is not bound there."""
        return self.bound(frame).get(name)

    def variables(self, frame: int) -> Mapping[str, Value]:
        """All variables of one frame."""
        found = self.frames.get(frame)
        if found is not None:
            return found
        layer: Layer | None = self.layer
        while layer is not None:
            found = layer.frames.get(frame)
            if found is not None:
                return found
            layer = layer.below
        return _NO_VARIABLES

    #: The same for those who tell by ``asked`` which of them matter.
    bound = variables

    def asked(self, frame: int, name: str) -> None:
        """What a variable is matters; for those who want to know."""

    def asked_for(self, address: int) -> None:
        """What an object is matters; for those who want to know."""

    def is_in_library(self, frame: int) -> bool:
        """Whether a frame is as the library has it."""
        layer: Layer | None = self.layer
        while layer is not None and layer.below is not None:
            if frame in layer.frames:
                return False
            layer = layer.below
        return frame not in self.frames and layer is not None and frame in layer.frames

    def set(self, frame: int, name: str, value: Value) -> None:
        """Bind a variable in one frame."""
        self.own(frame)[name] = value

    def delete(self, frame: int, name: str) -> None:
        """Unbind a variable, if it is bound."""
        self.asked(frame, name)
        if name in self.bound(frame):
            del self.own(frame)[name]

    def own(self, frame: int) -> Variables:
        """The variables of one frame, to be changed as long as this state is not forked."""
        found = self.frames.get(frame)
        if found is None:
            found = self.frames[frame] = dict(self.bound(frame))
        return found

    def write(self, address: int, obj: Obj) -> None:
        """Replace (or create) a heap object."""
        self.heap[address] = obj

    def read(self, address: int) -> Obj | None:
        """The object at an address."""
        found = self.heap.get(address)
        if found is not None:
            return found
        layer: Layer | None = self.layer
        while layer is not None:  # as the layer does it, without a call: nothing is done more often
            found = layer.heap.get(address)
            if found is not None:
                return found
            layer = layer.below
        return None

    #: The same where nothing depends on what it is.
    held = read

    def objects(self) -> list[tuple[int, Obj]]:
        """All objects with their addresses, the oldest first."""
        heaps = [self.heap]
        layer: Layer | None = self.layer
        while layer is not None:
            heaps.append(layer.heap)
            layer = layer.below
        found: dict[int, Obj] = {}
        for heap in reversed(heaps):
            found.update(heap)
        return sorted(found.items(), key=itemgetter(0))


def parted(a: State, b: State) -> tuple[set[int], set[int]]:
    """The frames and addresses written to since two states were one."""
    frames, heap = {*a.frames, *b.frames}, {*a.heap, *b.heap}
    x, y = a.layer, b.layer
    while x is not y:
        if x.depth < y.depth:
            x, y = y, x
        frames |= x.frames.keys()
        heap |= x.heap.keys()
        assert x.below is not None, "two states of one run have the library in common"
        x = x.below
    return frames, heap


def both(a: State, b: State, address: int) -> tuple[Obj | None, Obj | None]:
    """The object at an address in two states; it does not matter what it is where both have the same one.

    Where states parted, more is said to have been written to since than was.
    """
    ours, theirs = a.held(address), b.held(address)
    return (ours, theirs) if ours is theirs else (a.read(address), b.read(address))


def differing(a: State, b: State, heap: Iterable[int]) -> Iterator[tuple[int, Obj | None, Obj | None]]:
    """The objects at some of the addresses written to since two states were one, as each has them, where those are two.

    What both have in common is looked for once, below all layers in which they differ.
    """
    x, y = a.layer, b.layer
    ours: list[Layer] = []
    theirs: list[Layer] = []
    while x is not y:
        deeper, layers = (y, theirs) if x.depth < y.depth else (x, ours)
        layers.append(deeper)
        assert deeper.below is not None, "two states of one run have the library in common"
        x, y = (x, deeper.below) if deeper is y else (deeper.below, y)
    lower, their_lower = _heaps(ours), _heaps(theirs)
    for address in heap:
        mine = a.heap.get(address) or lower.get(address)
        other = b.heap.get(address) or their_lower.get(address)
        if mine is None or other is None:
            common = x.held(address)
            mine, other = mine or common, other or common
        if mine is not other:
            a.asked_for(address)
            b.asked_for(address)
            yield address, mine, other


def _heaps(layers: Sequence[Layer]) -> dict[int, Obj]:
    """What layers have on the heap, the topmost of which comes first."""
    found = layers[0].heap if layers else {}
    for layer in layers[1:]:
        found = {**layer.heap, **found}
    return found


def join_states(
    a: State,
    b: State,
    *,
    split: bool = False,
    usual: bool | None = None,
    alike: bool = False,
    rounds: bool = False,
) -> State:
    """What holds where two paths meet; a path that ended does not count. ``a`` is consumed.

    ``split`` as for :func:`~devfix.analysis.domain.join.join_values`. ``usual`` tells which path (True: ``a``) a run that
    is given no options takes: of a variable that the other leaves unknown, that is the program under analysis, and
    so it is of dtypes, and of what is on the accelerator where the other path leaves it nobody knows where.
    Where the two are ``alike`` either of them tells what a variable is that the other leaves unknown. ``rounds`` tells
    that some rounds of a loop take the one path and others the other.
    """
    if a is b or b.dead:
        return a
    if a.dead:
        return b
    frames, heap = parted(a, b)
    objects = list(differing(a, b, heap))
    split = split and not _is_told_apart(objects)
    for frame in frames:
        theirs = b.bound(frame)
        if theirs and frame in a.layer.live and a.bound(frame) is not theirs:
            _join_frame(a, frame, theirs, split, usual, alike=alike)
    owned: frozenset[int] | None = None
    for address, obj, other in objects:
        if other is None:
            continue
        if obj is None:
            a.write(address, other)
            continue
        path = usual
        if usual is not None:
            if owned is None:
                owned = unusual_owners.owned(a if usual else b, b if usual else a, frames, heap)
            path = None if address in owned else usual
        if path is not None:
            one, another = (
                (obj, object_like_usual(other, obj)) if path else (object_like_usual(obj, other), other)
            )
        else:
            one, another = obj, other
        a.write(address, join_objects(one, another, split=split, usual=path, rounds=rounds))
    if a.default_device != b.default_device:
        a.default_device = DeviceValue(UNKNOWN_DEVICE)
    a.used, a.hidden = b.used and a.used, a.hidden and b.hidden
    return a


def _is_told_apart(objects: Iterable[tuple[int, Obj | None, Obj | None]]) -> bool:
    """Whether an attribute of an object has one name or truth on the one path and another on the other.

    A later test of it tells which path was taken, so what either left behind need not meet what the other did.
    """
    for _, obj, other in objects:
        if obj is None or other is None:
            continue
        for name, value in other.attrs.items():
            mine = obj.attrs.get(name)
            if mine is not value and isinstance(mine, Const) and isinstance(value, Const):
                if isinstance(mine.value, (str, bool)) and mine.value != value.value:
                    return True
    return False


def _join_frame(
    a: State,
    frame: int,
    theirs: Mapping[str, Value],
    split: bool,
    usual: bool | None = None,
    *,
    alike: bool = False,
) -> None:
    before = a.bound(frame)
    for name, value in theirs.items():
        mine = before.get(name)
        if mine is value:
            continue
        a.asked(frame, name)
        if alike and mine is not None and is_loaded(a, value) != is_loaded(a, mine):
            a.set(frame, name, mine if is_loaded(a, value) else value)
        elif mine is None or (usual is False and isinstance(mine, Unknown)):
            a.set(frame, name, value)
        elif usual is not True or not isinstance(value, Unknown):
            ours = like_usual(mine, value) if usual is False else mine
            other = like_usual(value, mine) if usual else value
            joined = join_values(ours, other, split=split)
            if usual is not None:
                joined = usually(joined, mine if usual else value)
            elif split:
                joined = at_times(joined)
            a.set(frame, name, joined)


def is_loaded(state: State, value: Value) -> bool:
    """Whether nothing is known of a value but that it may come out of a file."""
    obj = state.read(value.address) if isinstance(value, Ref) else None
    nothing = isinstance(value, (Unknown, ExternalMethod))  # a method is an attribute that nobody has seen
    return nothing or (obj is not None and (obj.cls == External("torch.load") or LOADED in obj.facts))


def keep_main_path(main: State, other: State) -> State:
    """The state ``main``, with those variables of ``other`` that it does not bind itself."""
    if main.dead:
        return other
    frames, heap = parted(main, other)
    for frame in frames:
        mine = main.bound(frame)
        for name, value in other.bound(frame).items():
            if name not in mine:
                main.asked(frame, name)
                main.set(frame, name, value)
    for address in heap:
        obj = other.held(address)
        if obj is not None and main.held(address) is None:
            main.write(address, obj)  # what those variables refer to
    return main
