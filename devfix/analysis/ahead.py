"""Ahead: the units of a program as other processes find them out, while this one takes them in, one after the other.

What is found in a file depends on the files before it by little: which functions they executed, how much they took of the
accounts, and what they told the recorder for good. Each process begins with what is known of that by then, and what it
comes to counts where that was right; else it is found out anew, by others as soon as it is seen to be wrong, or in the
end here. So the result is that of one process, whatever the number of others, and however fast they are.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import NamedTuple

from devfix.analysis.accounts import Taken
from devfix.analysis.library import Library
from devfix.analysis.recorder import BoundName, Recorder
from devfix.analysis.units import FLAGS, Unit, executed_in, flags_of
from devfix.forks import Fork, answering

#: A function by its file, line and column; and the functions of files, by line and column.
Place = tuple[str, int, int]
Executed = Mapping[str, frozenset[tuple[int, int]]]

#: So many units a process finds out at least before another takes its place to whom more is known.
_WORTH_A_FORK = 4


class Wake(NamedTuple):
    """What a unit leaves behind to those after it."""

    steps: int
    flags: tuple[bool, ...]
    taken: Mapping[Place, Taken]
    executed: Executed


class Order(NamedTuple):
    """What a process is to find out: the unit of a file, and what the units before it leave behind, where that is news."""

    turn: int
    path: str
    news: Sequence[tuple[int, bytes]]


class Find(NamedTuple):
    """What a process has found out: a unit, if it can be told of, with the bindings that it has not told of yet."""

    wake: bytes = b""
    unit: Unit | None = None
    bound: Sequence[BoundName] = ()


def wake_of(unit: Unit) -> Wake:
    """What a unit leaves behind."""
    executed = defaultdict[str, set[tuple[int, int]]](set)
    for path, line, column in unit.executed:
        executed[path].add((line, column))
    return Wake(
        unit.steps,
        unit.flags,
        {drawn.place: drawn.taken for drawn in unit.accounts},
        {path: frozenset(places) for path, places in executed.items()},
    )


class Finder:
    """What the other process does: it finds out units as if those before them had been found out here."""

    def __init__(self, recorder: Recorder, library: Library, find: Callable[[str], Unit | None]) -> None:
        self._recorder, self._library, self._find = recorder, library, find
        self._steps, self._taken, self._flags = library.steps, dict(library.taken), flags_of(recorder)
        self._executed = dict(recorder.executed)
        self._recalled = {path: frozenset(places) for path, places in recorder.recalled.executed.items()}
        self._parents = dict(recorder._parents)
        self._told = len(recorder.bound)
        self._wakes: dict[int, Wake] = {}

    def answer(self, order: Order) -> Find:
        """Find out one unit, behind what is known of those before it, and pack it for the process that asked."""
        self._wakes.update((index, pickle.loads(wake)) for index, wake in order.news)  # noqa: S301 - from ourselves
        self._begin_behind([wake for index, wake in sorted(self._wakes.items()) if index < order.turn])
        unit = self._find(order.path)
        if unit is None:
            return Find()
        bound = list(islice(self._recorder.bound, self._told, None))
        self._told += len(bound)
        return Find(pickle.dumps(wake_of(unit)), unit, bound)

    def _begin_behind(self, wakes: Sequence[Wake]) -> None:
        recorder, library = self._recorder, self._library
        library.accounts.clear()
        library.taken = together(self._taken, wakes)
        library.steps = self._steps + sum(wake.steps for wake in wakes)
        for name, *told in zip(FLAGS, self._flags, *(wake.flags for wake in wakes), strict=True):
            setattr(recorder, name, any(told))
        recorder.executed = dict(self._executed)
        recorder.recalled.executed = defaultdict(set)
        for executed in (self._recalled, *(wake.executed for wake in wakes)):
            for path, places in executed.items():
                recorder.recalled.executed[path].update(places)
        recorder._parents = dict(self._parents)


def together(taken: Mapping[Place, Taken], wakes: Sequence[Wake]) -> dict[Place, Taken]:
    """What was taken of all accounts, after some more units."""
    found = dict(taken)
    for wake in wakes:
        for place, (calls, steps) in wake.taken.items():
            before = found.get(place, (0, 0))
            found[place] = (before[0] + calls, before[1] + steps)
    return found


class _Start(NamedTuple):
    """What a unit begins with, as far as the units before it decide that, besides the accounts."""

    executed: frozenset[tuple[int, int]]
    flags: tuple[bool, ...]


class _Order(NamedTuple):
    """What a process is at; ``exact`` tells that all before was known for certain."""

    turn: int
    start: _Start
    exact: bool


@dataclass(slots=True)
class _Worker:
    """A process, and what it and this one know of each other."""

    fork: Fork
    #: Which unit was the next when it began, how many bindings were known, and how often the modules had changed.
    begun: int
    known: int
    published: int
    order: _Order | None = None
    #: How much of the log it was told, and how many units it has found out.
    told: int = 0
    found: int = 0
    #: The bindings that it told of, and their numbers here.
    bound: list[BoundName] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)


class _Result(NamedTuple):
    unit: Unit | None
    order: _Order
    worker: _Worker


class _Guess:
    """What is known before a unit of those before it, which are not all over."""

    def __init__(self, executed: Executed, taken: Mapping[Place, Taken], flags: tuple[bool, ...]) -> None:
        self._executed, self._taken, self._flags = executed, taken, flags
        self._more_executed = defaultdict[str, set[tuple[int, int]]](set)
        self._more_taken: dict[Place, Taken] = {}

    def add(self, wake: Wake) -> None:
        """Go on behind one more unit."""
        for path, places in wake.executed.items():
            self._more_executed[path] |= places
        self._flags = tuple(map(any, zip(self._flags, wake.flags, strict=True)))
        for place, (calls, steps) in wake.taken.items():
            before = self._taken_of(place)
            self._more_taken[place] = (before[0] + calls, before[1] + steps)

    def start(self, path: str) -> _Start:
        """What the unit of a file begins with."""
        return _Start(self._executed[path] | self._more_executed.get(path, frozenset()), self._flags)

    def fits(self, path: str, result: _Result) -> bool:
        """Whether what was found out in a file began with the same."""
        unit = result.unit
        if unit is None or self.start(path) != result.order.start:
            return unit is None
        return all(drawn.may_be_drawn(self._taken_of(drawn.place)) for drawn in unit.accounts)

    def _taken_of(self, place: Place) -> Taken:
        found = self._more_taken.get(place)
        return self._taken.get(place, (0, 0)) if found is None else found


class Ahead:
    """Has the units of some files found out in the order of the files, some time before they are asked for."""

    def __init__(
        self,
        recorder: Recorder,
        library: Library,
        definitions: Mapping[str, frozenset[tuple[int, int]]],
        jobs: int,
        find: Callable[[str], Unit | None],
    ) -> None:
        self._recorder, self._library, self._find = recorder, library, find
        #: The functions of each file, which has a unit where some of them were not executed.
        self._definitions = definitions
        self._paths = list(definitions)
        self._indices = {path: index for index, path in enumerate(self._paths)}
        self._executed = {path: executed_in(recorder, path) for path in self._paths}
        self._jobs, self._workers = jobs, list[_Worker]()
        #: The unit that is the next to be over, and the first that nobody was asked for so far.
        self._now = self._next = 0
        self._results: dict[int, _Result] = {}
        #: What units leave behind as far as that is known; and which that was told of, in order.
        self._wakes: dict[int, tuple[Wake, bytes]] = {}
        self._log: list[int] = []
        #: Processes that began when the modules had changed less often make room for new ones.
        self._wanted = 0

    def candidates(self, path: str) -> Iterator[tuple[Unit, Callable[[int], int]]]:
        """The unit of a file as somebody has found it, then as it is found with all that is known now; with what numbers its bindings have here."""
        index = self._indices.get(path)
        if index is None:
            return
        self._come_to(index)
        while (found := self._wait_for(index)) is not None and found.unit is not None:
            yield found.unit, partial(self._number, found.worker)
            if found.worker.published != self._library.layer.published:
                self._wanted = self._library.layer.published
                return  # of modules that have changed new processes alone know
            if found.order.exact:
                return
            del self._results[index]

    def is_over(self, path: str, unit: Unit) -> None:
        """The unit of a file is known for certain."""
        index = self._indices.get(path)
        if index is None:
            return
        self._now = index + 1
        self._results.pop(index, None)
        wake = wake_of(unit)
        self._note(index, wake, None)
        for each, places in wake.executed.items():
            self._executed[each] = self._executed.get(each, frozenset()) | places

    def close(self) -> None:
        """End the other processes."""
        for worker in self._workers:
            worker.fork.end()
        self._workers.clear()

    def _come_to(self, index: int) -> None:
        for skipped in range(self._now, index):  # nothing is left to do there
            self._results.pop(skipped, None)
            if skipped in self._wakes:
                self._note(skipped, Wake(0, (False,) * len(FLAGS), {}, {}), None)
        self._now, self._next = index, max(index, self._next)
        self._collect(0)

    def _note(self, index: int, wake: Wake, data: bytes | None) -> None:
        known = self._wakes.get(index)
        if known is None or known[0] != wake:
            self._wakes[index] = (wake, data or pickle.dumps(wake))
            self._log.append(index)

    def _number(self, worker: _Worker, known: int) -> int:
        if known < worker.known:
            return known  # it was known before the process began
        number = worker.numbers.get(known)
        if number is None:
            number = worker.numbers[known] = self._recorder.bind(*worker.bound[known - worker.known])
        return number

    def _wait_for(self, index: int) -> _Result | None:
        """What was found out of a unit; None where nobody is there to do that."""
        while index not in self._results:
            if not self._collect(None):
                return None
        return self._results[index]

    def _collect(self, timeout: float | None) -> bool:
        """Let everybody have something to do, and take in what they found; whether anybody was at work."""
        self._assign()
        busy = [worker for worker in self._workers if worker.order is not None]
        for fork in answering([worker.fork for worker in busy], timeout) if busy else ():
            self._take(next(worker for worker in busy if worker.fork is fork))
        self._assign()
        return bool(busy)

    def _take(self, worker: _Worker) -> None:
        found, order = worker.fork.answer(), worker.order
        assert order is not None, "it was asked"
        worker.order = None
        worker.found += 1
        unit = None if found is None else found.unit
        if unit is None:
            # It has died, or has done what cannot be told of: then its modules are not those of others any more.
            self._jobs -= found is None
            self._retire(worker)
        else:
            worker.bound.extend(found.bound)
            self._note(order.turn, pickle.loads(found.wake), found.wake)  # noqa: S301 - from our own copy
        if order.turn >= self._now:
            self._results[order.turn] = _Result(unit, order, worker)

    def _assign(self) -> None:
        while sum(worker.order is not None for worker in self._workers) < self._jobs:
            chosen = self._choice()
            if chosen is None:
                return
            index, start = chosen
            worker = self._idle() or self._begin()
            if worker is None:
                return
            self._results.pop(index, None)
            self._next = max(self._next, index + 1)
            news = {each for each in self._log[worker.told :] if each >= worker.begun}
            worker.told = len(self._log)
            worker.order = _Order(index, start, exact=index == self._now)
            order = Order(index, self._paths[index], [(each, self._wakes[each][1]) for each in sorted(news)])
            worker.fork.ask(order)  # one that has died is met with when its answer is waited for

    def _choice(self) -> tuple[int, _Start] | None:
        """What to find out next, and what that begins with: what was found out and is wrong, before what comes next."""
        running = {worker.order.turn for worker in self._workers if worker.order is not None}
        guess = _Guess(self._executed, self._library.taken, flags_of(self._recorder))
        for index in range(self._now, len(self._paths)):
            path = self._paths[index]
            result = self._results.get(index)
            if index not in running and (
                not guess.fits(path, result) if result is not None else not self._is_idle(path, guess)
            ):
                return index, guess.start(path)
            if index in self._wakes:
                guess.add(self._wakes[index][0])
        return None

    def _is_idle(self, path: str, guess: _Guess) -> bool:
        """Whether nothing is left to do in a file."""
        return self._definitions[path] <= guess.start(path).executed

    def _idle(self) -> _Worker | None:
        for worker in [each for each in self._workers if each.order is None]:
            if worker.published >= self._wanted or worker.found < _WORTH_A_FORK:
                return worker
            self._retire(worker)
        return None

    def _begin(self) -> _Worker | None:
        """One more process; None where there cannot be more."""
        recorder, library = self._recorder, self._library
        finder = Finder(recorder, library, self._find)
        try:
            fork = Fork(finder.answer, [worker.fork for worker in self._workers])
        except OSError:
            self._jobs = len(self._workers)
            return None
        worker = _Worker(fork, self._now, len(recorder.bound), library.layer.published)
        self._workers.append(worker)
        return worker

    def _retire(self, worker: _Worker) -> None:
        worker.fork.end()
        self._workers.remove(worker)
