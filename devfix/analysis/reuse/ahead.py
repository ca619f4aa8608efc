"""Ahead: the units of a program as other processes find them out, while this one does the others, and takes all in, in order.

What is found in a file depends on the files before it by little: which functions they executed, how much they took of the
accounts, and what they told the recorder for good. Each process begins with what is known of that by then, and what it
comes to counts where that was right; else it is found out anew, by others as soon as it is seen to be wrong, or in the
end here. So the result is that of one process, whatever the number of others, and however fast they are.

Others work on files so far ahead that this process, which goes through all of them, is not there before them.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from devfix.analysis.library import Library
from devfix.analysis.record.recorder import BoundName, Recorder
from devfix.analysis.reuse.finder import Executed, Finder, Order, Wake, wake_of
from devfix.analysis.reuse.ledger import Ledger, add
from devfix.analysis.reuse.units import FLAGS, Found, Keeper, Unit, executed_in, flags_of
from devfix.forks import Fork, answering

#: What this process has to do before it comes to a file that another one finds out: so much more than there is to do in that,
#: as the size of a file tells little.
_LEAD = 1.5
#: So many units a process finds out at least before another takes its place to whom more is known.
_WORTH_A_FORK = 4


class File(NamedTuple):
    """A file with the functions in it, which has a unit where some of them were not executed, and how long that may take."""

    path: str
    block: int
    definitions: frozenset[tuple[int, int]]
    size: int


class _Start(NamedTuple):
    """What a unit begins with, as far as the units before it decide that, besides the accounts."""

    executed: frozenset[tuple[int, int]]
    flags: tuple[bool, ...]


class _Order(NamedTuple):
    """What a process is at."""

    turn: int
    start: _Start


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
    found: Found | None
    order: _Order
    worker: _Worker


class _Guess:
    """What is known before a unit of those before it, which are not all over."""

    def __init__(self, executed: Executed, ledger: Ledger, flags: tuple[bool, ...]) -> None:
        self._executed, self._ledger, self._flags = executed, ledger.copy(), flags
        self._more_executed = defaultdict[str, set[tuple[int, int]]](set)

    def enter(self, block: int) -> None:
        """Go on to the files of a block."""
        self._ledger.enter(block)

    def add(self, wake: Wake) -> None:
        """Go on behind one more unit."""
        for path, places in wake.executed.items():
            self._more_executed[path] |= places
        self._flags = tuple(map(any, zip(self._flags, wake.flags, strict=True)))
        add(self._ledger.recent.setdefault(wake.block, {}), wake.taken)

    def start(self, path: str) -> _Start:
        """What the unit of a file begins with."""
        return _Start(self._executed[path] | self._more_executed.get(path, frozenset()), self._flags)

    def fits(self, path: str, result: _Result) -> bool:
        """Whether what was found out in a file began with the same."""
        found = result.found
        if found is None or self.start(path) != result.order.start:
            return found is None
        taken = self._ledger.taken
        return all(drawn.may_be_drawn(taken.get(drawn.place, (0, 0))) for drawn in found.unit.accounts)


class Ahead:
    """Has the units of some files found out in the order of the files, some time before they are asked for."""

    def __init__(
        self,
        recorder: Recorder,
        library: Library,
        files: Sequence[File],
        others: int,
        run: Callable[[str, Keeper], None],
        *,
        lasting: bool,
    ) -> None:
        self._recorder, self._library = recorder, library
        self._finder = partial(Finder, recorder, library, run, lasting=lasting)
        self._files = files
        self._indices = {file.path: index for index, file in enumerate(files)}
        self._executed = {file.path: executed_in(recorder, file.path) for file in files}
        #: How many processes there may be beside this one.
        self._others, self._workers = others, list[_Worker]()
        #: The unit that is the next to be over, and whether it is found out here.
        self._now, self._is_here = 0, False
        self._results: dict[int, _Result] = {}
        #: What units leave behind as far as that is known; and which that was told of, in order.
        self._wakes: dict[int, tuple[Wake, bytes]] = {}
        self._log: list[int] = []
        #: Processes that began when the modules had changed less often make room for new ones.
        self._wanted = 0

    def candidates(self, path: str) -> Iterator[tuple[Found, Callable[[int], int]]]:
        """The unit of a file as somebody has found it, and what numbers its bindings have here; then it is to be found out here."""
        index = self._indices.get(path)
        if index is None:
            return
        self._come_to(index)
        result = self._wait_for(index)
        if result is not None and result.found is not None:
            published = self._library.layer.published
            is_steady = result.found.is_steady and result.worker.published == published
            yield result.found._replace(is_steady=is_steady), partial(self._number, result.worker)
            if result.worker.published != published:
                self._wanted = published  # of modules that have changed new processes alone know
            del self._results[index]
        self._is_here = True
        self._assign()

    def attend(self) -> None:
        """Take in what others have found meanwhile, and let them go on."""
        if self._take_in(0):
            self._assign()

    def is_over(self, path: str, unit: Unit) -> None:
        """The unit of a file is known for certain."""
        index = self._indices.get(path)
        if index is None:
            return
        self._now, self._is_here = index + 1, False
        self._results.pop(index, None)
        wake = wake_of(unit, self._files[index].block)
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
                self._note(skipped, Wake(self._files[skipped].block, 0, (False,) * len(FLAGS), {}, {}), None)
        self._now = index
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
        """What somebody has found out of a unit, or is about to; None where nobody is."""
        while any(worker.order is not None and worker.order.turn == index for worker in self._workers):
            self._collect(None)
        return self._results.get(index)

    def _collect(self, timeout: float | None) -> None:
        """Take in what others have found, for which this may wait, and let everybody have something to do."""
        self._take_in(timeout)
        self._assign()

    def _take_in(self, timeout: float | None) -> bool:
        busy = [worker for worker in self._workers if worker.order is not None]
        found = answering([worker.fork for worker in busy], timeout) if busy else []
        for fork in found:
            self._take(next(worker for worker in busy if worker.fork is fork))
        return bool(found)

    def _take(self, worker: _Worker) -> None:
        find, order = worker.fork.answer(), worker.order
        assert order is not None, "it was asked"
        worker.order = None
        worker.found += 1
        found = None if find is None else find.found
        if found is None:
            # It has died, or has done what cannot be told of: then its modules are not those of others any more.
            self._others -= find is None
            self._retire(worker)
        else:
            worker.bound.extend(find.bound)
            self._note(order.turn, pickle.loads(find.wake), find.wake)  # noqa: S301 - from our own copy
        if order.turn >= self._now + self._is_here:
            self._results[order.turn] = _Result(found, order, worker)

    def _assign(self) -> None:
        while sum(worker.order is not None for worker in self._workers) < self._others:
            worker = self._idle()
            if worker is None and self._is_here:
                return  # a copy of this process would be in the midst of a unit
            chosen = self._choice()
            if chosen is None:
                return
            worker = worker or self._begin()
            if worker is None:
                return
            index, start = chosen
            self._results.pop(index, None)
            news = {each for each in self._log[worker.told :] if each >= worker.begun}
            worker.told = len(self._log)
            worker.order = _Order(index, start)
            file = self._files[index]
            wakes = [(each, self._wakes[each][1]) for each in sorted(news)]
            is_stale = worker.published != self._library.layer.published
            # One that has died is met with when its answer is waited for.
            worker.fork.ask(Order(index, file.block, file.path, wakes, is_stale))

    def _choice(self) -> tuple[int, _Start] | None:
        """What to find out next, and what that begins with: the first so far ahead that this process takes as long until it is there."""
        running = {worker.order.turn for worker in self._workers if worker.order is not None}
        guess = _Guess(self._executed, self._library.ledger, flags_of(self._recorder))
        until = 0
        for index in range(self._now, len(self._files)):
            file = self._files[index]
            guess.enter(file.block)
            result = self._results.get(index)
            is_here = index == self._now and self._is_here
            if index not in running and (
                not guess.fits(file.path, result) if result is not None else not self._is_idle(file, guess)
            ):
                if until >= _LEAD * file.size and not is_here:
                    return index, guess.start(file.path)
                until += file.size
            if index in self._wakes:
                guess.add(self._wakes[index][0])
        return None

    def _is_idle(self, file: File, guess: _Guess) -> bool:
        """Whether nothing is left to do in a file."""
        return file.definitions <= guess.start(file.path).executed

    def _idle(self) -> _Worker | None:
        for worker in [each for each in self._workers if each.order is None]:
            if worker.published >= self._wanted or worker.found < _WORTH_A_FORK or self._is_here:
                return worker
            self._retire(worker)
        return None

    def _begin(self) -> _Worker | None:
        """One more process; None where there cannot be more."""
        recorder, library = self._recorder, self._library
        try:
            fork = Fork(self._finder().answer, [worker.fork for worker in self._workers])
        except OSError:
            self._others = len(self._workers)
            return None
        worker = _Worker(fork, self._now, len(recorder.bound), library.layer.published)
        self._workers.append(worker)
        return worker

    def _retire(self, worker: _Worker) -> None:
        worker.fork.end()
        self._workers.remove(worker)
