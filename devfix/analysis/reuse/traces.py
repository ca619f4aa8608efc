"""Traces: what is written down of each call, to be noted down again where the call need not be interpreted."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from devfix.analysis.domain.state import State
from devfix.analysis.domain.values import NONE, Class, Obj, Ref, Value
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.record.recorder import Binding, Recorder

#: What a call changed: variables, some of which are gone (None), and objects.
Change = tuple[tuple[tuple[int, str, Value | None], ...], tuple[tuple[int, Obj], ...]]


#: Collections of the recorder.
OF_RECORDER = frozenset({"executed", "optional", "things", "remarked", "saved"})
#: What nobody asks for as long as a program runs.
TOLD = frozenset({"executed", "optional", "things", "remarked"})


class Entry(NamedTuple):
    """Something that was put into a collection of the interpreter or its recorder."""

    holder: str
    key: Any
    value: Any = None

    def __call__(self, interp: Interpreter) -> None:
        """Put it there again."""
        held = getattr(interp.recorder if self.holder in OF_RECORDER else interp, self.holder)
        if isinstance(held, dict):
            dict.__setitem__(held, self.key, self.value)
        else:
            set.add(held, self.key)


class Bound(NamedTuple):
    """What a name of a scope was bound to."""

    path: str
    scope: str
    name: str
    binding: Binding

    def __call__(self, interp: Interpreter) -> None:
        """Write it down again."""
        Recorder.bind(interp.recorder, *self)


#: A note that is taken down again.
Note = Callable[[Interpreter], object] | Entry | Bound


@dataclass(slots=True)
class Trace:
    """One call: the states before and after, the numbers that frames and objects got, and what was noted."""

    function: ast.AST | None = None
    entry: State | None = None
    exit: State | None = None
    begin: int = 0
    end: int = 0
    result: Value = NONE
    #: How many statements and calls that took, and names that nothing had bound.
    steps: int = 0
    inner: int = 0
    unbound: int = 0
    oldest: float = math.inf
    modes: tuple[str | None, bool | None] = (None, True)
    #: The frames that outlive the call, with those that enclose them.
    frames: tuple[tuple[int, int | None], ...] = ()
    #: Lists of parameters that were made, classes that were defined, and the objects that were described.
    lists: tuple[Ref, ...] = ()
    classes: tuple[Class, ...] = ()
    described: tuple[tuple[Any, Any], ...] = ()
    notes: list[Note | Trace] = field(default_factory=list)
    #: Whether anything was on an accelerator afterwards.
    accelerated: bool = False
    #: What was put where: checkpoints, files that are read and written, and the like.
    entries: tuple[Entry, ...] = ()
    #: Whether it did nothing that is not written down here.
    sound: bool = True
    #: The functions that were called, once somebody asked; and all that was noted, what adds nothing left out.
    reached: frozenset[ast.AST] | None = None
    flat: tuple[Note, ...] | None = None
    #: The expression or statement, and what else tells one call from others like it; see ``carrying``.
    node: ast.AST | None = None
    given: tuple[Any, ...] = ()
    circumstances: tuple[Any, ...] = ()
    #: What was asked for, and what that was; None where it may have been anything.
    asked: dict[Any, Any] | None = None
    #: What it changed, once that was found out; () where it cannot be.
    change: Change | tuple[()] | None = None
    #: Where the statements began that were executed in it, in the order of their execution.
    numbers: list[tuple[ast.stmt, int]] = field(default_factory=list)
    #: Whether it was carried on into another run, so that the calls in it have the states of an older one.
    carried: bool = False

    def calls(self) -> Iterator[Trace]:
        """The calls made in this one, in order."""
        return (each for each in self.notes if isinstance(each, Trace))

    def reaches(self, functions: frozenset[ast.AST]) -> bool:
        """Whether it, or a call in it, is one of some functions."""
        if self.reached is None:
            own = frozenset() if self.function is None else frozenset((self.function,))
            for call in self.calls():
                call.reaches(functions)
            self.reached = own.union(*(call.reached or () for call in self.calls()))
        return not self.reached.isdisjoint(functions)

    @property
    def is_statement(self) -> bool:
        """Whether it is no call, but a statement of a module."""
        return self.function is self.node

    def repeats(self, function: ast.AST | None, node: ast.AST) -> bool:
        """Whether it is a call of a function at some place."""
        return self.function is function and self.node is node

    def replay(self, interp: Interpreter) -> None:
        """Note down all that was noted."""
        if self.flat is None:
            self.flat = tuple(self._flattened())
        for note in self.flat:
            note(interp)

    def _flattened(self) -> Iterator[Note]:
        """What was noted here and in calls; what is bound to the same once more is known."""
        known: set[Note] = set()
        pending: list[Iterator[Note | Trace]] = [iter(self.notes)]
        while pending:
            note = next(pending[-1], None)
            if note is None:
                pending.pop()
            elif isinstance(note, Trace):
                pending.append(iter(note.notes if note.flat is None else note.flat))
            elif not isinstance(note, Bound) and not (isinstance(note, Entry) and note.holder in TOLD):
                yield note
            elif note not in known:
                known.add(note)
                yield note
