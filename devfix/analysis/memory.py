"""Memory: the variables and the objects of a run, as the activation that runs sees them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import Ref

if TYPE_CHECKING:
    from devfix.analysis.domain.values import Obj, Value
    from devfix.analysis.language.frames import Frame
    from devfix.analysis.library import Library


class Memory:
    """What a run remembers: its activations, and the state that has their variables and the objects on the heap."""

    __slots__ = ("library", "oldest", "parents", "reads", "stack", "state")

    def __init__(self, library: Library) -> None:
        self.library = library
        self.state = self.empty_state()
        self.stack: list[Frame] = []
        #: Which frame encloses which, for names that are not local.
        self.parents = library.parents
        #: The oldest object that was changed since a call began that wants to know.
        self.oldest: float = math.inf
        self.reads = library.reads

    def empty_state(self) -> State:
        """A state in which nothing was done beyond the library."""
        return State(self.library.layer)

    @property
    def frame(self) -> Frame:
        """The innermost activation."""
        return self.stack[-1]

    def fresh(self) -> int:
        """A number nobody used for a frame or address yet."""
        return next(self.library.ids)

    def outermost(self, frame: int) -> int:
        """The frame of the globals that ``frame`` sees."""
        while (outer := self.parents.get(frame)) is not None:
            frame = outer
        return frame

    def forget(self, frame: int) -> None:
        """A frame is left for good: nothing can see its variables any more."""
        self.state.frames.pop(frame, None)
        self.parents.pop(frame, None)

    def new(self, obj: Obj) -> Ref:
        """Put an object on the heap."""
        address = self.fresh()
        self.state.write(address, obj)
        return Ref(address)

    def obj(self, ref: Ref) -> Obj:
        """The object behind a reference; raises KeyError for one that no path to here has made."""
        found = self.state.read(ref.address)
        if found is None:
            raise KeyError(ref)
        return found

    def obj_of(self, value: Value | None) -> Obj | None:
        """The object behind a value, or None when the value is no reference."""
        if not isinstance(value, Ref):
            return None
        found = self.state.heap.get(value.address)
        return found if found is not None else self.state.read(value.address)

    def update(self, ref: Ref, obj: Obj) -> None:
        """Replace the object behind a reference."""
        self.oldest = min(self.oldest, ref.address)
        self.state.write(ref.address, obj)

    def lookup(self, name: str) -> Value | None:
        """The value of a variable as the innermost activation sees it, or None."""
        innermost = self.stack[-1]
        module = innermost.module
        frame: int | None = module if name in innermost.globals else innermost.id
        state, topmost, parents = self.state, self.state.frames, self.parents
        while frame is not None:
            if frame == module:
                self.reads.add((module, name))
            variables = topmost.get(frame)
            value = (variables if variables is not None else state.variables(frame)).get(name)
            if value is not None:
                return value
            frame = parents.get(frame)
        return None

    def assign(self, frame: int, name: str, value: Value) -> None:
        """Let a variable of a frame have a value; those of other frames outlive the call that runs."""
        self.state.set(frame, name, value)
        self.oldest = min(self.oldest, frame)
        if frame != self.stack[-1].id:
            self.reads.add((frame, name))  # where paths meet, what it was before counts
            self.library.outcomes.clear()  # functions that read it come to something else from now on

    def rebind(self, name: str, value: Value) -> None:
        """Let a variable have another value where it is bound: more has become known of it."""
        frame: int | None = self.frame.module if name in self.frame.globals else self.frame.id
        self.reads.add((self.frame.module, name))
        while frame is not None and self.state.get(frame, name) is None:
            frame = self.parents.get(frame)
        if frame is not None:
            self.state.set(frame, name, value)
