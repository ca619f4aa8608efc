"""Timing: where the time of a run went, and its memory."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

#: So many programs and rules are named.
_MOST = 10

#: What memory is counted in.
_MIB = 2**20

READING, ANALYSIS, RULES, FIXES, OTHER = "reading and parsing", "analysis", "rules", "fixes", "other"

#: Seconds by what they were spent on: a part of the work and, within the rules, the code of one.
Spent = Mapping[tuple[str, str], float]


class _Stopwatch:
    """Counts each second once: what is done within something else is not counted for that."""

    def __init__(self) -> None:
        self.spent: defaultdict[tuple[str, str], float] = defaultdict(float)
        self.now = (OTHER, "")
        self.since = time.perf_counter()

    def turn_to(self, what: tuple[str, str]) -> tuple[str, str]:
        """Count for something else from now on; gives what it was before."""
        before, moment = self.now, time.perf_counter()
        self.spent[before] += moment - self.since
        self.now, self.since = what, moment
        return before


_RUNNING: ContextVar[_Stopwatch | None] = ContextVar("running", default=None)


@contextmanager
def measured() -> Iterator[Spent]:
    """What the time in the block is spent on, which is known at its end."""
    watch = _Stopwatch()
    token = _RUNNING.set(watch)
    try:
        yield watch.spent
    finally:
        watch.turn_to(watch.now)
        _RUNNING.reset(token)


@contextmanager
def spent_on(part: str, rule: str = "") -> Iterator[None]:
    """What happens in the block is that, where time is measured."""
    watch = _RUNNING.get()
    if watch is None:
        yield
        return
    before = watch.turn_to((part, rule))
    try:
        yield
    finally:
        watch.turn_to(before)


@dataclass(frozen=True, slots=True)
class ProgramTime:
    """The time that one program took."""

    path: str
    files: int
    spent: Spent

    @property
    def seconds(self) -> float:
        """All of it."""
        return sum(self.spent.values())

    @property
    def parts(self) -> dict[str, float]:
        """It by parts of the work, in their order."""
        return {
            part: sum(seconds for (each, _), seconds in self.spent.items() if each == part)
            for part in (READING, ANALYSIS, RULES, FIXES, OTHER)
        }


@dataclass
class Timing:
    """Seconds on the clock by what was done, and by program, which may have been several at a time.

    ``memory`` is the most that this process had taken up to the end of each phase, in bytes: what is known of all
    files at the end of reading, and the largest program beside it later.
    """

    phases: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    programs: list[ProgramTime] = field(default_factory=list)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """What happens in the block is that."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - start
            if (most := peak_memory()) is not None:
                self.memory[name] = most

    def program(self, spent: Spent, paths: Sequence[str]) -> None:
        """A program of these files was judged."""
        self.programs.append(ProgramTime(min(paths), len(paths), spent))

    @property
    def rules(self) -> dict[str, float]:
        """Seconds by the code of each rule, the slowest first."""
        found: defaultdict[str, float] = defaultdict(float)
        for program in self.programs:
            for (_, rule), seconds in program.spent.items():
                found[rule] += seconds
        found.pop("", None)
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def data(self) -> dict[str, object]:
        """The same for other programs to read; the slowest programs and rules come first."""
        return {
            "seconds": _rounded(self.phases),
            "programs": [
                {
                    "path": each.path,
                    "files": each.files,
                    "seconds": round(each.seconds, 4),
                    "parts": _rounded(each.parts),
                }
                for each in self._slowest()
            ],
            "rules": _rounded(self.rules),
            "memory": {name: round(most / _MIB, 1) for name, most in self.memory.items()},
        }

    def text(self) -> str:
        """The same for people."""
        lines = [f"{spent:9.3f} s  {name}{self._memory(name)}" for name, spent in self.phases.items()]
        for each in self._slowest()[:_MOST]:
            more = f" and {each.files - 1} more files" if each.files > 1 else ""
            parts = ", ".join(f"{name} {spent:.3f} s" for name, spent in each.parts.items())
            lines.append(f"{each.seconds:9.3f} s    {each.path}{more}: {parts}")
        if len(self.programs) > _MOST:
            lines.append(f"             and {len(self.programs) - _MOST} more programs")
        rules = self.rules
        lines += [f"{spent:9.3f} s    rule {code}" for code, spent in list(rules.items())[:_MOST]]
        if len(rules) > _MOST:
            lines.append(f"             and {len(rules) - _MOST} more rules")
        return "\n".join([*lines, ""])

    def _memory(self, phase: str) -> str:
        most = self.memory.get(phase)
        return "" if most is None else f" (memory up to {most / _MIB:.0f} MiB)"

    def _slowest(self) -> list[ProgramTime]:
        return sorted(self.programs, key=lambda each: (-each.seconds, each.path))


def peak_memory() -> int | None:
    """The most memory that this process has taken so far, in bytes; None where the system does not tell."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    # Linux counts kibibytes, macOS bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(spent, 4) for name, spent in seconds.items()}
