"""Pool: running one function over many items in several processes, whatever becomes of them."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.context import BaseContext
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Generic[Item, Result]):
    """Maps ``work`` over items, in order.

    ``on_death`` gives the result for an item whose process died (out of memory, killed). One
    job, or one item, is worked on in this process.
    """

    def __init__(self, work: Callable[[Item], Result], on_death: Callable[[Item], Result], jobs: int) -> None:
        self.work = work
        self.on_death = on_death
        self.jobs = jobs

    def map(self, items: Sequence[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        if self.jobs <= 1 or len(items) <= 1:
            return map(self.work, items)
        return self._map_in_processes(items)

    def map_here_too(self, items: Sequence[Item]) -> Iterator[Result]:
        """The same where this process is one of those that work: it begins with the first item, others with the last one."""
        if self.jobs <= 1 or len(items) <= 1:
            return map(self.work, items)
        return self._map_from_both_ends(items)

    def _map_from_both_ends(self, items: Sequence[Item]) -> Iterator[Result]:
        with self._executor(min(self.jobs, len(items)) - 1) as executor:
            futures = [executor.submit(self.work, item) for item in reversed(items)]
            try:
                for item, future in zip(items, reversed(futures), strict=True):
                    yield self.work(item) if future.cancel() else self._result(item, future)
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise

    def _map_in_processes(self, items: Sequence[Item]) -> Iterator[Result]:
        with self._executor(min(self.jobs, len(items))) as executor:
            futures = [executor.submit(self.work, item) for item in items]
            try:
                for item, future in zip(items, futures, strict=True):
                    yield self._result(item, future)
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise

    def _result(self, item: Item, future: Future[Result]) -> Result:
        try:
            return future.result()
        except BrokenProcessPool:
            # One death breaks the whole pool, so each item gets a process of its own to show which it was.
            return self._alone(item)

    def _alone(self, item: Item) -> Result:
        with self._executor(1) as executor:
            try:
                return executor.submit(self.work, item).result()
            except BrokenProcessPool:
                return self.on_death(item)

    def _executor(self, jobs: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(jobs, mp_context=_context(), initializer=_end_when_interrupted)


def _end_when_interrupted() -> None:
    """Control-C goes to all processes at a terminal, and one of them is enough to tell of it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _context() -> BaseContext:
    # Forking is fast, and safe as long as no other thread holds a lock.
    forks = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")
