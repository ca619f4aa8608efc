"""Prover: many programs, several at a time, each with its proof."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn, TypeVar

from devfix.proof.verdict import Proof
from devfix.sandbox.supervision import KEEPERS

Work = TypeVar("Work")


@dataclass(frozen=True, slots=True)
class Prover:
    """Runs trials, ``jobs`` of them at a time; when devfix is interrupted every child ends."""

    jobs: int = 1

    def run(self, prove: Callable[[Work], Proof], works: Sequence[Work]) -> Iterator[Proof]:
        """The proofs, in the order of the works."""
        with _ending_in_order(), ThreadPoolExecutor(max(1, self.jobs)) as pool:
            try:
                yield from pool.map(prove, works)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                KEEPERS.stop()
                raise


@contextlib.contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let a request to end raise an exception, so that no child outlives devfix by a moment."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
