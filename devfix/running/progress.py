"""Progress: how far a run is, said on the terminal while it goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TextIO

#: Seconds between two lines where the program itself prints to the same terminal.
_PERIOD = 10.0
_WIDTH = 79


class Progress:
    """Says on a terminal how many seconds, steps and mismatches there were; says nothing anywhere else.

    Alone on its terminal (``alone``) it keeps one line up to date. Beside a program's own output it
    prints whole lines, and few. When asked to be ``quiet`` it says nothing at all.
    """

    def __init__(
        self, stream: TextIO, *, alone: bool, quiet: bool = False, began: float | None = None
    ) -> None:
        self._stream = stream
        self._alone = alone
        self._on = stream.isatty() and not quiet
        self._began = time.monotonic() if began is None else began
        self._said = self._began
        self._shown = False

    def tell(self, report: Path) -> None:
        """Say what the report, as it is by now, holds."""
        now = time.monotonic()
        if not self._on or (not self._alone and now - self._said < _PERIOD):
            return
        self._said = now
        text = describe(now - self._began, _read(report))
        if self._alone:
            self._stream.write("\r" + text[:_WIDTH].ljust(_WIDTH))
            self._shown = True
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._stream.write("\r" + " " * _WIDTH + "\r")
            self._stream.flush()


def describe(seconds: float, held: dict[str, object]) -> str:
    """One line on a run that goes on."""
    mismatches, steps = held.get("mismatches"), held.get("steps")
    count = len(mismatches) if isinstance(mismatches, list) else 0
    return f"devfix: {seconds:.0f} s, {steps or 0} steps, {count} mismatches so far"


def _read(report: Path) -> dict[str, object]:
    try:
        held = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}
