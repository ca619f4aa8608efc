"""Traces: what the calls of a run came to, so that a run of the edited program goes on where nothing changed.

A run is determined by the program. As long as no edited statement was reached, a new run is in step with the
one before: a call that reaches none comes to what it came to then, and is not interpreted again. Out of step,
calls are interpreted as ever. Where a call that was in step when it began returns what it returned then, and
leaves the same behind, the runs are in step again.

What a call notes down besides is replayed: its trace holds that, and the traces of the calls in it, in order.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from devfix.analysis.interpreter import CALL_LIMIT, STEP_LIMIT, Interpreter
from devfix.analysis.matching import Matching
from devfix.analysis.state import State
from devfix.analysis.syntax import names_kept
from devfix.analysis.values import NONE, Class, Function, Ref, Value

if TYPE_CHECKING:
    from devfix.analysis.frames import CallSite
    from devfix.analysis.traced import TracingInterpreter

#: A note that is taken down again.
Note = Callable[[Interpreter], object]


class Entry(NamedTuple):
    """Something that was put into a collection of the interpreter or its recorder."""

    holder: str
    key: Any
    value: Any = None

    def put(self, interp: Interpreter) -> None:
        """Put it there again."""
        held = getattr(interp.recorder if self.holder in _OF_RECORDER else interp, self.holder)
        if isinstance(held, dict):
            dict.__setitem__(held, self.key, self.value)
        else:
            set.add(held, self.key)


#: Collections of the recorder.
_OF_RECORDER = frozenset({"executed", "optional", "things", "followed", "saved"})
#: What nobody asks for as long as a program runs.
_TOLD = frozenset({"executed", "optional", "things", "followed"})


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
    #: Whether it reaches an edited function.
    edited: bool = False

    def calls(self) -> Iterator[Trace]:
        """The calls made in this one, in order."""
        return (each for each in self.notes if isinstance(each, Trace))

    def mark(self, functions: frozenset[ast.AST]) -> bool:
        """Find out which calls reach one of some functions."""
        within = [call.mark(functions) for call in self.calls()]
        self.edited = self.function in functions or any(within)
        return self.edited

    def replay(self, interp: Interpreter) -> None:
        """Note down all that was noted."""
        for note in self.notes:
            if isinstance(note, Trace):
                note.replay(interp)
            else:
                note(interp)


@dataclass(slots=True)
class _Active:
    """A call that is being interpreted, and the one of the run before that it repeats, as long as it does."""

    trace: Trace
    before: Trace | None
    rest: Iterator[Trace]
    #: The first number that need not mean what it meant in the run before.
    parted: int | None = None


class Tracer:
    """Keeps the traces of one run and makes use of those of the run before."""

    def __init__(self, before: Trace | None = None, triggers: Iterable[ast.stmt] = ()) -> None:
        self.root = Trace()
        self.triggers = frozenset(triggers)
        #: Whether limits may have had a say: then each statement counts.
        self.strained = False
        self.replaying = False
        #: What was put where so far.
        self.entries: list[Entry] = []
        rest = before.calls() if before is not None else iter(())
        self._active = [_Active(self.root, before, rest)]

    def note(self, note: Note) -> None:
        """Something is written down."""
        self._active[-1].trace.notes.append(note)

    def enter(self, entry: Entry) -> None:
        """Something is put into a collection."""
        self.note(entry.put)
        if entry.holder not in _TOLD:
            self.entries.append(entry)

    def statements(self, interp: Interpreter, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        """The statements of a block; an edited one ends the step."""
        for statement in body:
            if statement in self.triggers:
                self._part(interp)
            yield statement

    def call(self, interp: TracingInterpreter, function: Function, site: CallSite) -> Value:
        """The result of a call."""
        before = self._next(interp, function)
        if before is not None and before.sound and not before.edited:
            return self._repeat(interp, before)
        if before is not None and before.entry is not None:
            interp.state = before.entry.fork()  # it is the same, and what follows can be compared
        active = _Active(self._begin(interp, function), before, before.calls() if before else iter(()))
        self._active.append(active)
        found = _Watch(interp, self)
        try:
            result = interp.interpreted(function, site)
        finally:
            self._active.pop()
        found.write(interp, active.trace, result)
        self._active[-1].trace.notes.append(active.trace)
        return self._end(interp, active, result)

    def _next(self, interp: Interpreter, function: Function) -> Trace | None:
        """The call of the run before that is made again, when the runs are in step."""
        outer = self._active[-1]
        if outer.before is None or outer.parted is not None:
            return None
        found = next(outer.rest, None)
        if found is not None and found.function is function.node and found.begin == _number(interp):
            return found
        self._part(interp)
        return None

    def _part(self, interp: Interpreter) -> None:
        """From here on the runs are not known to be in step."""
        active = self._active[-1]
        if active.parted is None:
            active.parted = _number(interp)

    def _repeat(self, interp: TracingInterpreter, before: Trace) -> Value:
        assert before.exit is not None, "the call has ended"
        self._adopt(interp, before)
        interp.steps += before.steps
        interp.calls += before.inner
        interp.unbound += before.unbound
        interp.oldest = min(interp.oldest, before.oldest)
        interp.parameter_lists += before.lists
        interp.library.classes += before.classes
        interp.described.update(before.described)
        self.entries += before.entries
        self.replaying = True
        before.replay(interp)
        self.replaying = False
        self._active[-1].trace.notes.append(before)
        return before.result

    def _adopt(self, interp: Interpreter, before: Trace) -> None:
        """Go on as after a call of the run before."""
        assert before.exit is not None, "the call has ended"
        interp.state = before.exit.fork()
        interp.library.ids = count(before.end)
        interp.autocast, interp.grad = before.modes
        interp.parents.update(before.frames)

    def _begin(self, interp: Interpreter, function: Function) -> Trace:
        return Trace(function.node, interp.state.fork(), begin=_number(interp))

    def _end(self, interp: Interpreter, active: _Active, result: Value) -> Value:
        """In step the run goes on as the one before, and so it does where both came to the same."""
        before, outer = active.before, self._active[-1]
        if before is None:
            return result
        if active.parted is None:
            if active.trace.end != before.end:
                self._part(interp)
            return result
        if not self._came_to_the_same(interp, active, before):
            outer.parted = active.parted if outer.parted is None else outer.parted
            return result
        for frame in [each for each in interp.parents if each >= active.parted]:
            del interp.parents[frame]
        self._adopt(interp, before)
        trace = active.trace
        if trace.lists:
            interp.parameter_lists[-len(trace.lists) :] = before.lists
        for entry in before.entries:
            entry.put(interp)
        trace.exit, trace.end, trace.result, trace.frames = (
            before.exit,
            before.end,
            before.result,
            before.frames,
        )
        trace.oldest, trace.lists, trace.entries = before.oldest, before.lists, before.entries
        return before.result

    def _came_to_the_same(self, interp: Interpreter, active: _Active, before: Trace) -> bool:
        trace, parted = active.trace, active.parted
        assert parted is not None, "the runs were not in step"
        if not (trace.sound and before.sound) or trace.modes != before.modes:
            return False
        if trace.accelerated != before.accelerated or trace.unbound != before.unbound:
            return False
        if trace.steps != before.steps and (self.strained or _is_long(interp)):
            return False
        if trace.classes or before.classes:
            return False
        if any(key[1] >= parted for key, _ in (*trace.described, *before.described)):
            return False
        if _old(trace.oldest, trace.begin) != _old(before.oldest, trace.begin):
            return False
        assert before.exit is not None, "it has ended"
        assert trace.exit is not None, "it has ended"
        matching = Matching(parted, trace.exit, before.exit)
        used = names_kept(trace.function) if trace.function is not None else frozenset[str]()
        ours = (trace.result, trace.lists, trace.entries)
        theirs = (before.result, before.lists, before.entries)
        return matching.is_same(ours, theirs, interp.parents, trace.begin, used)


def _is_long(interp: Interpreter) -> bool:
    return interp.steps > STEP_LIMIT // 2 or interp.calls > CALL_LIMIT // 2


def _old(number: float, birth: int) -> float:
    return number if number < birth else math.inf


def _number(interp: Interpreter) -> int:
    """The number that the next frame or object gets."""
    number = next(interp.library.ids)
    interp.library.ids = count(number)
    return number


class _Watch:
    """What is known before a call, to tell afterwards what it did."""

    def __init__(self, interp: Interpreter, tracer: Tracer) -> None:
        self._tracer = tracer
        self._before = (interp.steps, interp.calls, interp.unbound)
        self._outer, interp.oldest = interp.oldest, math.inf
        self._lengths = (len(interp.parameter_lists), len(interp.library.classes), len(interp.described))
        self._entries = len(tracer.entries)
        self._grave = _grave(interp)

    def write(self, interp: Interpreter, trace: Trace, result: Value) -> None:
        """Complete the trace of the call that is over."""
        trace.exit, trace.end, trace.result = interp.state.fork(), _number(interp), result
        steps, calls, unbound = self._before
        trace.steps, trace.inner = interp.steps - steps, interp.calls - calls
        trace.unbound = interp.unbound - unbound
        trace.oldest, interp.oldest = interp.oldest, min(interp.oldest, self._outer)
        trace.modes = (interp.autocast, interp.grad)
        trace.frames = tuple(_younger(interp.parents, trace.begin))
        lists, classes, described = self._lengths
        trace.lists = tuple(interp.parameter_lists[lists:])
        trace.classes = tuple(interp.library.classes[classes:])
        trace.described = tuple(list(interp.described.items())[described:])
        trace.accelerated = interp.recorder.accelerated
        trace.entries = tuple(self._tracer.entries[self._entries :])
        trace.sound = _grave(interp) == self._grave


def _younger(frames: dict[int, int | None], birth: int) -> list[tuple[int, int | None]]:
    found: list[tuple[int, int | None]] = []
    for frame in reversed(frames):
        if frame < birth:
            break
        found.append((frame, frames[frame]))
    return found[::-1]


def _grave(interp: Interpreter) -> tuple[object, ...]:
    """What few calls change, and no trace writes down."""
    library, pauses, placements = interp.library, interp.pauses, interp.placements
    return (
        len(library.modules), len(library.host_options), library.default_floats, library.default_type,
        interp.cuts, interp.granted, interp.exhausted, None if pauses is None else len(pauses),
        None if placements is None else len(placements),
    )  # fmt: skip
