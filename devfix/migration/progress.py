"""Progress: what a run tells while it goes on, live on a terminal and line by line elsewhere."""

from __future__ import annotations

import importlib.util
import time
from collections import Counter
from typing import Any, Protocol, TextIO

from devfix.migration.reading import RepositoryReading, Standing
from devfix.migration.steps import Step

_COLOURS = {
    Standing.CHANGED: "green",
    Standing.UNCHANGED: "default",
    Standing.SKIPPED: "yellow",
    Standing.FAILED: "red",
    Standing.TRANSIENT: "magenta",
    Standing.PENDING: "default",
}


class Progress(Protocol):
    """Told of every step, and of every repository that is done."""

    def begin(self, total: int, earlier: int) -> None:
        """So many repositories are to be worked on, and so many were done earlier."""

    def began(self, name: str, step: Step) -> None:
        """A step began."""

    def done(self, reading: RepositoryReading) -> None:
        """Nothing more is done to a repository."""

    def say(self, text: str) -> None:
        """Something else is worth a line."""

    def close(self) -> None:
        """Everything is done."""


def progress_for(stream: TextIO) -> Progress:
    """A live picture on a terminal where rich is installed, else lines."""
    if stream.isatty() and importlib.util.find_spec("rich"):
        return LiveProgress(stream)
    return LineProgress(stream)


def _told_earlier(earlier: int) -> str:
    return f"{earlier} repositories were done earlier" if earlier > 1 else "1 repository was done earlier"


def told(reading: RepositoryReading) -> str:
    """One line on a repository."""
    parts = []
    if reading.fixed and reading.standing is Standing.CHANGED:
        files = len(reading.changed_files)
        parts.append(f"{reading.fixed} fixed in {files} file{'s' * (files != 1)}")
    if reading.left:
        parts.append(f"{reading.left} left")
    if reading.reason:
        parts.append(reading.reason)
    detail = f": {', '.join(parts)}" if parts else ""
    return printable(f"{reading.name} {reading.standing.value}{detail}")


def printable(text: str) -> str:
    """A text in one line that gives a terminal no orders, whatever names and messages it holds."""
    return "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))


class LineProgress:
    """A line for each repository that is done."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = 0
        self._done = 0

    def begin(self, total: int, earlier: int) -> None:
        """Say how many repositories were done by earlier runs and do not come again."""
        self._total = total
        if earlier:
            self.say(_told_earlier(earlier))

    def began(self, name: str, step: Step) -> None:
        """Says nothing: lines cannot be taken back."""

    def done(self, reading: RepositoryReading) -> None:
        """Write how a repository ended, and how many have."""
        self._done += 1
        self.say(f"[{self._done}/{self._total}] {told(reading)}")

    def say(self, text: str) -> None:
        """Write a line of its own."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is left open."""


class LiveProgress:
    """A bar, counts, and what is being done now; repositories that are done scroll by above."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console  # noqa: PLC0415 - an extra brings it
        from rich.live import Live  # noqa: PLC0415 - as above

        self._total = 0
        self._now: dict[str, tuple[Step, float]] = {}
        self._counts: Counter[Standing] = Counter()
        # Without a thread of its own: processes are forked from this one.
        self._live = Live(console=Console(file=stream), auto_refresh=False, transient=True)
        self._live.start()

    def begin(self, total: int, earlier: int) -> None:
        """Show how much there is."""
        self._total = total
        if earlier:
            self.say(_told_earlier(earlier))
        self._show()

    def began(self, name: str, step: Step) -> None:
        """Show the step."""
        self._now[name] = (step, time.monotonic())
        self._show()

    def done(self, reading: RepositoryReading) -> None:
        """Count it, and leave a line."""
        from rich.text import Text  # noqa: PLC0415 - an extra brings it

        self._now.pop(reading.name, None)
        self._counts[reading.standing] += 1
        self._live.console.print(Text(told(reading), style=_COLOURS[reading.standing]))
        self._show()

    def say(self, text: str) -> None:
        """Leave a line."""
        self._live.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._live.stop()

    def _show(self) -> None:
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> Any:
        from rich.console import Group  # noqa: PLC0415 - an extra brings it
        from rich.progress_bar import ProgressBar  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        done = sum(self._counts.values())
        counts = "  ".join(f"{standing.value} {count}" for standing, count in self._counts.items())
        rows = [
            Text(
                f"  {name}: {step.value} ({time.monotonic() - since:.0f} s)", style="dim", overflow="ellipsis"
            )
            for name, (step, since) in list(self._now.items())[:12]
        ]
        return Group(ProgressBar(self._total, done, width=40), Text(f"{done}/{self._total}  {counts}"), *rows)
