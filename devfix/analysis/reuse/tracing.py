"""Traces: what the calls of a run came to, so that a run of the edited program goes on where nothing changed.

A run is determined by the program. As long as no edited statement was reached, a new run is in step with the
one before: a call that reaches none comes to what it came to then, and is not interpreted again. Out of step,
a call is not either that asks for nothing that differs (see ``carrying``); the others are interpreted as ever.
Where a call that was in step when it began returns what it returned then, and leaves the same behind, the runs
are in step again. The statements of a module are taken for calls, too.

What a call notes down besides is replayed: its trace holds that, and the traces of the calls in it, in order.
"""

from __future__ import annotations

import ast
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.matching import Matching, Sameness
from devfix.analysis.domain.values import NONE, Function, Value
from devfix.analysis.interpreter import CALL_LIMIT, STEP_LIMIT, Interpreter
from devfix.analysis.language import recursion
from devfix.analysis.reuse.carrying import carry, circumstances, given_to, is_given_the_same, may_be_carried
from devfix.analysis.reuse.effects import Effects, next_number
from devfix.analysis.reuse.traces import TOLD, Entry, Note, Trace
from devfix.analysis.reuse.watched import Watch, ask_again
from devfix.analysis.text.syntax import names_kept

if TYPE_CHECKING:
    from devfix.analysis.language.frames import CallSite, Frame
    from devfix.analysis.reuse.traced import TracingInterpreter

#: The numbers that are left free before a call, for what edits may add: bits outermost, and for calls in calls.
_ROOM_BITS, _FEWER_BITS, _LEAST_BITS = 56, 7, 8


@dataclass(slots=True)
class _Active:
    """A call that is being interpreted, and the one of the run before that it repeats, as long as it does."""

    trace: Trace
    before: Trace | None
    #: The calls of the run before that were not made again yet.
    rest: deque[Trace]
    #: The first number that need not mean what it meant in the run before.
    parted: int | None = None
    #: Whether the runs were not in step before the call.
    adrift: bool = False
    #: Where the statements began in the run before that were not executed again yet.
    numbers: deque[tuple[ast.stmt, int]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        if self.before is not None:
            self.numbers.extend(self.before.numbers)

    def number_of(self, statement: ast.stmt) -> int:
        """Where a statement began in the run before, in its turn; -1 where it did not."""
        place = next((n for n, (each, _) in enumerate(self.numbers) if each is statement), None)
        if place is None:
            return -1
        self.numbers.rotate(-place)
        return self.numbers.popleft()[1]

    def next_like(self, function: ast.AST | None, node: ast.AST) -> Trace | None:
        """The next of the calls in the run before that is one of a function at some place."""
        found = next((n for n, each in enumerate(self.rest) if each.repeats(function, node)), None)
        if found is None:
            return None
        # Those before it are not made again, or in another order.
        self.rest.rotate(-found)
        return self.rest.popleft()


class Tracer:
    """Keeps the traces of one run and makes use of those of the run before."""

    def __init__(
        self,
        watch: Watch,
        before: Trace | None = None,
        triggers: Iterable[ast.stmt] = (),
        edited: Iterable[ast.AST] = (),
        numbers: dict[object, int] | None = None,
        *,
        strained: bool = False,
    ) -> None:
        self.watch = watch
        watch.keys, watch.everything = {}, False
        self.root = Trace()
        #: The numbers of the globals of files, and those that they had in the run before.
        self.numbers: dict[object, int] = {}
        self._old_numbers = numbers or {}
        #: Whether limits had a say in the run before.
        self._were_strained = strained
        self.triggers = frozenset(triggers)
        self._edited = frozenset(edited)
        #: Whether limits may have had a say: then each statement counts.
        self.strained = False
        self.replaying = False
        #: What was put where so far.
        self.entries: list[Entry] = []
        self._sameness: Sameness | None = None
        self._active = [_Active(self.root, before, _calls_of(before))]

    def note(self, note: Note) -> None:
        """Something is written down."""
        self._active[-1].trace.notes.append(note)

    def enter(self, entry: Entry) -> None:
        """Something is put into a collection."""
        self.note(entry)
        if entry.holder not in TOLD:
            self.entries.append(entry)

    def number_of(self, interp: Interpreter, globals_of: object) -> int:
        """A number for the globals of a file."""
        known, free = self._old_numbers.get(globals_of, -1), next_number(interp)
        number = known if known >= free else free + self._room()
        interp.library.ids = count(number + 1)
        self.numbers[globals_of] = number
        return number

    def _room(self, deeper: int = 0) -> int:
        """The numbers to leave free: little for what is new, or it would take the numbers of what follows."""
        if self._active[0].before is not None:
            return 1 << _LEAST_BITS
        depth = len(self._active) - 1 + deeper
        return 1 << max(_ROOM_BITS - _FEWER_BITS * depth, _LEAST_BITS)

    def statements(self, interp: Interpreter, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        """The statements of a block; an edited one ends the step."""
        for statement in body:
            if statement in self.triggers:
                self._part(interp)
            active, free = self._active[-1], next_number(interp)
            number = active.number_of(statement)
            if number < free:
                number = free + self._room(1)
            interp.library.ids = count(number)
            active.trace.numbers.append((statement, number))
            yield statement

    def call(self, interp: TracingInterpreter, function: Function, site: CallSite, *, alike: bool) -> Value:
        """The result of a call; ``alike`` tells that an earlier one was like it."""
        if recursion.is_active(interp, function):
            self.watch.everything = True  # how deep it may go depends on who called
        given = given_to(function, site)
        return self._made(
            interp, function.node, site.node, given, lambda: interp.interpreted(function, site, alike=alike)
        )

    def statement(self, interp: TracingInterpreter, statement: ast.stmt) -> None:
        """Execute a statement of a module, as if it was a call."""
        frame = interp.frame
        frame.statement = statement

        def execute() -> Value:
            before = _told_to(frame)
            interp.execute(statement)
            self.watch.everything |= before != _told_to(frame)
            return NONE

        self._made(interp, statement, statement, (frame.id, _told_to(frame)), execute)

    def _made(
        self,
        interp: TracingInterpreter,
        function: ast.AST,
        node: ast.AST,
        given: tuple[Any, ...],
        make: Callable[[], Value],
    ) -> Value:
        """What a call comes to, or came to in the run before."""
        before, in_step = self._next(interp, function, node)
        if before is not None and before.sound and not before.reaches(self._edited):
            if in_step:
                return self._repeat(interp, before)
            if self._may_carry(interp, before, given):
                return self._carry(interp, before)
        if before is not None and before.entry is not None and in_step:
            interp.state = before.entry.fork()  # it is the same, and what follows can be compared
        active = self._begin(interp, function, node, given, before, adrift=not in_step)
        found = Effects(interp, self)
        self._active.append(active)
        try:
            result = make()
        finally:
            self._active.pop()
            found.leave()
        found.write(interp, active.trace, result)
        self._active[-1].trace.notes.append(active.trace)
        return self._end(interp, active, result)

    def _next(self, interp: Interpreter, function: ast.AST, node: ast.AST) -> tuple[Trace | None, bool]:
        """The call of the run before that is made again, and whether the runs are in step."""
        outer = self._active[-1]
        if outer.before is None:
            return None, False
        if outer.parted is None:
            found = outer.rest[0] if outer.rest else None
            if found is not None and found.function is function and found.begin >= next_number(interp):
                return outer.rest.popleft(), True
            self._part(interp)
        return outer.next_like(function, node), False

    def _may_carry(self, interp: Interpreter, before: Trace, given: tuple[Any, ...]) -> bool:
        if self.strained or self._were_strained or _is_long(interp) or before.begin < next_number(interp):
            return False
        if self._sameness is None:
            self._sameness = Sameness(interp.state)
        same = self._sameness.same
        return is_given_the_same(interp, before, given, same) and may_be_carried(interp, before, same)

    def _carry(self, interp: TracingInterpreter, before: Trace) -> Value:
        """Go on as after a call of the run before, though not all is as it was then."""
        entry = interp.state.fork()
        interp.parents.update(before.frames)
        carry(interp, before)
        interp.library.ids = count(before.end)
        interp.autocast, interp.grad = before.modes
        made = replace(before, entry=entry, exit=interp.state.fork(), carried=True, change=None)
        return self._noted(interp, made)

    def _part(self, interp: Interpreter) -> None:
        """From here on the runs are not known to be in step."""
        active = self._active[-1]
        if active.parted is None:
            active.parted = next_number(interp)

    def _repeat(self, interp: TracingInterpreter, before: Trace) -> Value:
        self._adopt(interp, before)
        return self._noted(interp, before)

    def _noted(self, interp: TracingInterpreter, before: Trace) -> Value:
        """Note down all that was noted in a call, which is not interpreted."""
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
        if before.asked is None:
            self.watch.everything = True
        else:
            ask_again(self.watch, before.asked)
        return before.result

    def _adopt(self, interp: Interpreter, before: Trace) -> None:
        """Go on as after a call of the run before."""
        assert before.exit is not None, "the call has ended"
        interp.state = before.exit.fork()
        interp.library.ids = count(before.end)
        interp.autocast, interp.grad = before.modes
        interp.parents.update(before.frames)

    def _begin(
        self,
        interp: Interpreter,
        function: ast.AST,
        node: ast.AST,
        given: tuple[Any, ...],
        before: Trace | None,
        *,
        adrift: bool,
    ) -> _Active:
        """A call begins, with the numbers of the run before where they are free."""
        number = next_number(interp)
        begin = before.begin if before is not None and before.begin >= number else number + self._room()
        interp.library.ids = count(begin)
        trace = Trace(
            function,
            interp.state.fork(),
            begin=begin,
            node=node,
            given=given,
            circumstances=circumstances(interp),
        )
        active = _Active(trace, before, _calls_of(before), adrift=adrift)
        if before is not None and (adrift or before.carried):
            active.parted = begin
        return active

    def _end(self, interp: Interpreter, active: _Active, result: Value) -> Value:
        """In step the run goes on as the one before, and so it does where both came to the same."""
        before, outer = active.before, self._active[-1]
        if before is None or active.adrift:
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
            entry(interp)
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
        function = trace.function
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
        used = frozenset[str]() if trace.is_statement or function is None else names_kept(function)
        ours = (trace.result, trace.lists, trace.entries)
        theirs = (before.result, before.lists, before.entries)
        return matching.is_same(ours, theirs, interp.parents, trace.begin, used)


def _is_long(interp: Interpreter) -> bool:
    return interp.steps > STEP_LIMIT // 2 or interp.calls > CALL_LIMIT // 2


def _old(number: float, birth: int) -> float:
    return number if number < birth else math.inf


def _told_to(frame: Frame) -> tuple[object, ...]:
    """What statements of a module tell the frame."""
    left: list[Sized] = [
        frame.returns,
        frame.results,
        frame.rescues,
        frame.unusual,
        frame.alike,
        frame.yields,
        frame.loops,
        frame.replaced,
    ]
    return (frame.options, frame.is_cut, tuple(frame.globals), tuple(frame.nonlocals), *map(len, left))


def _calls_of(before: Trace | None) -> deque[Trace]:
    return deque(before.calls()) if before is not None else deque()
