"""Timing: where the time of a run went."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

#: So many programs are named.
_MOST = 10


@dataclass
class Timing:
    """Seconds on the clock by what was done, and by program, which may have been several at a time."""

    phases: dict[str, float] = field(default_factory=dict)
    programs: list[tuple[float, str, int]] = field(default_factory=list)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """What happens in the block is that."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - start

    def program(self, seconds: float, paths: Sequence[str]) -> None:
        """A program of these files was judged."""
        self.programs.append((seconds, min(paths), len(paths)))

    def data(self) -> dict[str, object]:
        """The same for other programs to read; the slowest programs come first."""
        return {
            "seconds": {name: round(spent, 4) for name, spent in self.phases.items()},
            "programs": [
                {"path": path, "files": files, "seconds": round(spent, 4)}
                for spent, path, files in sorted(self.programs, reverse=True)
            ],
        }

    def text(self) -> str:
        """The same for people."""
        lines = [f"{spent:9.3f} s  {name}" for name, spent in self.phases.items()]
        slowest = sorted(self.programs, reverse=True)
        lines += [
            f"{spent:9.3f} s    {path}" + (f" and {files - 1} more files" if files > 1 else "")
            for spent, path, files in slowest[:_MOST]
        ]
        if len(slowest) > _MOST:
            lines.append(f"             and {len(slowest) - _MOST} more programs")
        return "\n".join([*lines, ""])
