"""Finder: what another process does, which finds out units as if those before them had been found out there."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.accounts import Taken
from devfix.analysis.library import Library
from devfix.analysis.record.recorder import BoundName, Recorder
from devfix.analysis.reuse.ledger import Ledger, Place, add
from devfix.analysis.reuse.units import FLAGS, Found, Keeper, Unit, Watch, flags_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Functions by their files, lines and columns.
Executed = Mapping[str, frozenset[tuple[int, int]]]


class Wake(NamedTuple):
    """What a unit leaves behind to those after it."""

    block: int
    steps: int
    flags: tuple[bool, ...]
    taken: Mapping[Place, Taken]
    executed: Executed


class Order(NamedTuple):
    """What a process is to find out: the unit of a file, and what the units before it leave behind, where that is news.

    ``is_stale`` tells that modules have changed since the process began.
    """

    turn: int
    block: int
    path: str
    news: Sequence[tuple[int, bytes]]
    is_stale: bool = False


class Find(NamedTuple):
    """What a process has found out: a unit, if it can be told of, with the bindings that it has not told of yet."""

    wake: bytes = b""
    found: Found | None = None
    bound: Sequence[BoundName] = ()


def wake_of(unit: Unit, block: int) -> Wake:
    """What a unit of a block of files leaves behind."""
    executed = defaultdict[str, set[tuple[int, int]]](set)
    for path, line, column in unit.executed:
        executed[path].add((line, column))
    return Wake(
        block,
        unit.steps,
        unit.flags,
        {drawn.place: drawn.taken for drawn in unit.accounts},
        {path: frozenset(places) for path, places in executed.items()},
    )


class Scout(Keeper):
    """Finds units for another process, which is told by what it may know whether they are right there."""

    def __init__(self, library: Library, *, lasting: bool) -> None:
        super().__init__(lasting=lasting)
        self._library, self._published = library, library.layer.published
        #: Whether modules have changed where the unit is taken in.
        self.is_stale = False
        self._found: Found | None = None

    def keep(self, interp: Interpreter, path: str, unit: Unit, watch: Watch) -> None:
        """Keep the unit for whoever asked for it; where modules have changed a digest has to tell."""
        is_steady = self._library.layer.published == self._published
        if self.lasting or self.is_stale or not is_steady:
            unit = replace(unit, digest=self.digest(interp, path, unit.reads, watch))
        answers = self.passing_answers(interp, unit.reads, watch.executed_in)
        self._found = Found(unit, watch.start, answers, is_steady)

    def take(self) -> Found | None:
        """The unit that was just found, if it can be told of."""
        found, self._found = self._found, None
        return found


class _Known:
    """What all units that are known of have left behind together, in whatever order that became known."""

    def __init__(
        self,
        steps: int,
        flags: tuple[bool, ...],
        executed: Mapping[str, Iterable[tuple[int, int]]],
        ledger: Ledger,
    ) -> None:
        self.steps, self.flags, self.ledger = steps, flags, ledger.copy()
        self.executed = defaultdict[str, set[tuple[int, int]]](set)
        self.executed.update((path, set(places)) for path, places in executed.items())
        #: The units, by their turns.
        self._wakes: dict[int, Wake] = {}

    def is_before(self, block: int, wakes: Mapping[int, Wake]) -> bool:
        """Whether all that was taken in counts for a unit of a block that comes after some others."""
        is_later = block < self.ledger.block
        return not is_later and all(wakes.get(turn) is wake for turn, wake in self._wakes.items())

    def add(self, wakes: Mapping[int, Wake]) -> None:
        """Take in those that are new."""
        for turn, wake in wakes.items():
            if turn not in self._wakes:
                self._wakes[turn] = wake
                self._add(wake)

    def _add(self, wake: Wake) -> None:
        self.steps += wake.steps
        self.flags = tuple(map(any, zip(self.flags, wake.flags, strict=True)))
        add(self.ledger.recent.setdefault(wake.block, {}), wake.taken)
        for path, places in wake.executed.items():
            self.executed[path] |= places


class Finder:
    """Finds out one unit after the other, in a copy of the process that takes them in."""

    def __init__(
        self, recorder: Recorder, library: Library, run: Callable[[str, Keeper], None], *, lasting: bool
    ) -> None:
        self._recorder, self._library, self._run = recorder, library, run
        self._scout = Scout(library, lasting=lasting)
        self._begin = partial(
            _Known,
            library.steps,
            flags_of(recorder),
            {path: frozenset(places) for path, places in recorder.recalled.executed.items()},
            library.ledger.copy(),
        )
        self._known = self._begin()
        self._executed, self._parents = len(recorder.executed), dict(recorder._parents)
        self._told = len(recorder.bound)
        self._wakes: dict[int, Wake] = {}

    def answer(self, order: Order) -> Find:
        """Find out one unit, behind what is known of those before it, and pack it for the process that asked."""
        self._wakes.update((turn, pickle.loads(wake)) for turn, wake in order.news)  # noqa: S301 - from ourselves
        before = {turn: wake for turn, wake in self._wakes.items() if turn < order.turn}
        self._begin_behind(order.block, before)
        self._scout.is_stale = order.is_stale
        self._run(order.path, self._scout)
        found = self._scout.take()
        if found is None:
            return Find()
        bound = list(islice(self._recorder.bound, self._told, None))
        self._told += len(bound)
        return Find(pickle.dumps(wake_of(found.unit, order.block)), found, bound)

    def _begin_behind(self, block: int, wakes: Mapping[int, Wake]) -> None:
        if not self._known.is_before(block, wakes):
            self._known = self._begin()
        known = self._known
        known.add(wakes)
        known.ledger.enter(block)
        recorder, library = self._recorder, self._library
        library.accounts.clear()
        library.ledger, library.steps = Ledger(block, dict(known.ledger.taken)), known.steps
        for name, flag in zip(FLAGS, known.flags, strict=True):
            setattr(recorder, name, flag)
        while len(recorder.executed) > self._executed:
            recorder.executed.popitem()  # the latest: what the unit before executed is told of by its wake
        recorder.recalled.executed = known.executed
        recorder._parents = dict(self._parents)
