"""Pool: running one function over many items in several processes, whatever becomes of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from typing import Generic, TypeVar

#: Python asks for it before it looks for any module; since 3.11.
_SAFE_PATH = "PYTHONSAFEPATH"
#: All threads have one environment, and each puts it back as it was.
_ENVIRONMENT = threading.Lock()

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Generic[Item, Result]):
    """Maps ``work`` over items, in order.

    ``on_death`` gives the result for an item whose process died (out of memory, killed). One
    job, or one item, is worked on in this process, and so is all where others would look for modules in the current folder.
    """

    def __init__(self, work: Callable[[Item], Result], on_death: Callable[[Item], Result], jobs: int) -> None:
        self.work = work
        self.on_death = on_death
        self.jobs = jobs

    def map(self, items: Sequence[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        if self.jobs <= 1 or len(items) <= 1 or not _is_safe():
            return map(self.work, items)
        return self._map_in_processes(items)

    def map_here_too(self, items: Sequence[Item]) -> Iterator[Result]:
        """The same where this process is one of those that work: it begins with the first item, others with the last one."""
        if self.jobs <= 1 or len(items) <= 1 or not _is_safe():
            return map(self.work, items)
        return self._map_from_both_ends(items)

    def _map_from_both_ends(self, items: Sequence[Item]) -> Iterator[Result]:
        executor, futures = self._started(items[::-1], min(self.jobs, len(items)) - 1)
        with executor:
            try:
                for item, future in zip(items, reversed(futures), strict=True):
                    yield self.work(item) if future.cancel() else self._result(executor, item, future)
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise

    def _map_in_processes(self, items: Sequence[Item]) -> Iterator[Result]:
        executor, futures = self._started(items, min(self.jobs, len(items)))
        with executor:
            try:
                for item, future in zip(items, futures, strict=True):
                    yield self._result(executor, item, future)
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise

    def _result(self, executor: ProcessPoolExecutor, item: Item, future: Future[Result]) -> Result:
        try:
            return future.result()
        except BrokenProcessPool:
            # Without the thread of what is broken a process can be forked again.
            executor.shutdown()
            # One death breaks the whole pool, so each item gets a process of its own to show which it was.
            return self._alone(item)

    def _alone(self, item: Item) -> Result:
        executor, (future,) = self._started([item], 1)
        with executor:
            try:
                return future.result()
            except BrokenProcessPool:
                return self.on_death(item)

    def _started(self, items: Sequence[Item], jobs: int) -> tuple[ProcessPoolExecutor, list[Future[Result]]]:
        """Processes, all of which are started by the time that they have their items."""
        forks = _forks()
        with nullcontext() if forks else _off_the_current_folder():
            context = multiprocessing.get_context("fork" if forks else "spawn")
            executor = ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_when_interrupted)
            return executor, [executor.submit(self.work, item) for item in items]


def _end_when_interrupted() -> None:
    """Control-C goes to all processes at a terminal, and one of them is enough to tell of it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _off_the_current_folder() -> Iterator[None]:
    """Processes that are not forked find no modules in the folder that is checked, not even before they know where to look."""
    with _ENVIRONMENT:
        before = os.environ.get(_SAFE_PATH)
        os.environ[_SAFE_PATH] = "1"
        try:
            yield
        finally:
            if before is None:
                del os.environ[_SAFE_PATH]
            else:
                os.environ[_SAFE_PATH] = before


def _is_safe() -> bool:
    """Whether processes can be kept from looking for modules in the current folder."""
    return sys.version_info >= (3, 11) or _forks()


def _forks() -> bool:
    # Forking is fast, and safe as long as no other thread holds a lock.
    return sys.platform == "linux" and threading.active_count() == 1
