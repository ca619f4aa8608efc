"""Watched: states and collections that tell what is asked of them, so that it is known what a call depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from devfix.analysis.domain.state import Layer, State
from devfix.analysis.domain.values import Obj, Value

#: An object by its address; a variable by its frame and name, all of a frame without a name; an entry of a
#: collection by the collection's name.
Key = Any
#: The key of all objects, among those of variables.
_OBJECTS = (-1, None)
#: The key of how many a collection has.
_SIZE = ("size",)
#: The key of all that is in a collection, in order.
_ALL = ("all",)


class Watch:
    """What was asked since a call began, and whether that may have been anything at all."""

    __slots__ = ("everything", "keys")

    def __init__(self) -> None:
        #: Entries of collections with what they were; what the others were the state tells in which the call began.
        self.keys: dict[Key, Any] = {}
        self.everything = False

    def entry(self, holder: str, key: object, value: object) -> None:
        """An entry of a collection was asked for."""
        self.keys.setdefault((holder, key), value)


class WatchedState(State):
    """A state that tells what is asked of it."""

    __slots__ = ("watch",)

    def __init__(self, layer: Layer, watch: Watch) -> None:
        super().__init__(layer)
        self.watch = watch

    def _beside(self) -> State:
        return WatchedState(self.layer, self.watch)

    def get(self, frame: int, name: str) -> Value | None:
        """The value of a variable in one frame, or None when it is not bound there."""
        self.watch.keys[frame, name] = None
        return self.bound(frame).get(name)

    def asked(self, frame: int, name: str) -> None:
        """What a variable is matters."""
        self.watch.keys[frame, name] = None

    def variables(self, frame: int) -> Mapping[str, Value]:
        """All variables of one frame."""
        self.watch.keys[frame, None] = None
        return self.bound(frame)

    def read(self, address: int) -> Obj | None:
        """The object at an address."""
        found = self.heap.get(address)
        if found is not None:
            return found  # it was written since the call began
        self.watch.keys[address] = None
        layer: Layer | None = self.layer
        while layer is not None:  # as ``held`` does it, without a call: nothing is done more often
            found = layer.heap.get(address)
            if found is not None:
                return found
            layer = layer.below
        return None

    def asked_for(self, address: int) -> None:
        """What an object is matters, unless it was written since the call began."""
        if address not in self.heap:
            self.watch.keys[address] = None

    def objects(self) -> list[tuple[int, Obj]]:
        """All objects with their addresses, the oldest first."""
        self.watch.keys[_OBJECTS] = None
        return super().objects()


def value_of(state: State, key: Key) -> Any:
    """What a key of a state stands for."""
    if key.__class__ is int:
        return state.held(key)
    if key == _OBJECTS:
        return tuple(State.objects(state))
    frame, name = key
    variables = state.bound(frame)
    return dict(variables) if name is None else variables.get(name)


class WatchedList(list[Any]):
    """A list that tells when it is looked at."""

    def __init__(self, watch: Watch, name: str) -> None:
        super().__init__()
        self._watch, self._name = watch, name

    def __iter__(self) -> Iterator[Any]:
        self._watch.entry(self._name, None, tuple(self[:]))
        return super().__iter__()

    def __bool__(self) -> bool:
        self._watch.entry(self._name, None, tuple(self[:]))
        return len(self) > 0


class WatchedDict(dict[Any, Any]):
    """A dict that tells what is looked up in it."""

    def __init__(self, watch: Watch, name: str) -> None:
        super().__init__()
        self._watch, self._name = watch, name

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key."""
        self._watch.entry(self._name, key, super().get(key))
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._watch.entry(self._name, key, super().get(key))
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Any]:
        self._watch.entry(self._name, _ALL, tuple(super().items()))
        return super().__iter__()

    def keys(self) -> Any:
        """All keys."""
        self._watch.entry(self._name, _ALL, tuple(super().items()))
        return super().keys()

    def items(self) -> Any:
        """All of it."""
        self._watch.entry(self._name, _ALL, tuple(super().items()))
        return super().items()

    def values(self) -> Any:
        """All values."""
        self._watch.entry(self._name, _ALL, tuple(super().items()))
        return super().values()

    def __len__(self) -> int:
        size = super().__len__()
        self._watch.entry(self._name, _SIZE, size)
        return size


class WatchedSet(set[Any]):
    """A set that tells what is looked for in it."""

    def __init__(self, watch: Watch, name: str) -> None:
        super().__init__()
        self._watch, self._name = watch, name

    def __contains__(self, element: object) -> bool:
        found = super().__contains__(element)
        self._watch.entry(self._name, element, found)
        return found

    def __iter__(self) -> Iterator[Any]:
        self._watch.everything = True
        return super().__iter__()

    def __len__(self) -> int:
        size = super().__len__()
        self._watch.entry(self._name, _SIZE, size)
        return size


def entry_of(held: Any, key: object) -> Any:
    """What a watched collection holds now under a key."""
    if key is _SIZE:
        return set.__len__(held) if isinstance(held, set) else dict.__len__(held)
    if key is _ALL:
        return tuple(dict.items(held))
    if isinstance(held, dict):
        return dict.get(held, key)
    return tuple(held[:]) if isinstance(held, list) else set.__contains__(held, key)


def ask_again(watch: Watch, asked: Mapping[Key, Any]) -> None:
    """What was asked in a call was asked by the one around it."""
    keys = watch.keys
    for key, value in asked.items():
        keys.setdefault(key, value)


def asked_before(state: State, keys: Mapping[Key, Any], begin: int) -> dict[Key, Any]:
    """What was asked of what was there before a call, which began with a number, and what that was."""
    asked: dict[Key, Any] = {}
    for key, value in keys.items():
        if key.__class__ is int:
            if key < begin:
                asked[key] = state.held(key)
        elif key[0].__class__ is not int:
            asked[key] = value
        elif key[0] < begin:
            asked[key] = value_of(state, key)
    return asked
