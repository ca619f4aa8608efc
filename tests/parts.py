"""Parts: the files of tests, shared out among processes so that each has about as much to do.

A file stays whole, with all that its tests share. What a file takes is written down in ``part_weights.txt``:

    pytest --weigh [FILE...]
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

WEIGHTS = Path(__file__).with_name("part_weights.txt")
#: What a file takes that was never weighed, or less than is written down, in seconds.
_USUAL, _LEAST = 0.5, 1.0
_HEADER = "# Processor seconds of a file of tests and its children, where they are some; `pytest --weigh` writes them.\n"


def weights() -> dict[str, float]:
    """What is written down, by the name of the file."""
    lines = WEIGHTS.read_text(encoding="utf-8").splitlines()
    return {
        name: float(seconds) for seconds, name in (line.split() for line in lines if not line.startswith("#"))
    }


def shared_out(files: Sequence[str], seconds: Mapping[str, float], parts: int) -> list[list[str]]:
    """The files of each part: the heaviest first, each goes where there is the least so far."""
    found: list[list[str]] = [[] for _ in range(parts)]
    loads = [0.0] * parts
    for file in sorted(files, key=lambda file: (-seconds.get(file, _USUAL), file)):
        lightest = loads.index(min(loads))
        found[lightest].append(file)
        loads[lightest] += seconds.get(file, _USUAL)
    return found


class Scales:
    """Weighs the files of a run: what their tests and fixtures take, and the processes that they start and wait for."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Count what goes on while a test is prepared, run and cleaned up after."""
        before = _processor_seconds()
        result = yield
        name = item.path.name
        self._seconds[name] = self._seconds.get(name, 0.0) + _processor_seconds() - before
        return result

    def pytest_sessionfinish(self) -> None:
        """Write it down; of files that were not run the old weight stays."""
        found = {**weights(), **self._seconds}
        kept = {name: seconds for name, seconds in found.items() if seconds >= _LEAST}
        there = {name: seconds for name, seconds in kept.items() if WEIGHTS.with_name(name).exists()}
        lines = [f"{seconds:.0f} {name}\n" for name, seconds in sorted(there.items())]
        WEIGHTS.write_text(_HEADER + "".join(lines), encoding="utf-8")


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
