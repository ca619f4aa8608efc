"""Prover: many programs, several at a time, each with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from devfix.proof.verdict import Proof
from devfix.sandbox.supervision import KEEPERS

Work = TypeVar("Work")


@dataclass(frozen=True, slots=True)
class Prover:
    """Runs trials, ``jobs`` of them at a time; when devfix is interrupted every child ends."""

    jobs: int = 1

    def run(self, prove: Callable[[Work], Proof], works: Sequence[Work]) -> Iterator[Proof]:
        """The proofs, in the order of the works."""
        with ThreadPoolExecutor(max(1, self.jobs)) as pool:
            try:
                yield from pool.map(prove, works)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                KEEPERS.stop()
                raise
