"""Progress: what is being run, on one line of a terminal that is written over."""

from __future__ import annotations

import shutil
import threading
from typing import TextIO


class Progress:
    """Shows how many of ``total`` programs are done, and what the last news is; nothing but on a terminal."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._shows = stream.isatty()
        self._lock = threading.Lock()
        self._done = 0

    def tell(self, program: str, stage: str) -> None:
        """Say which run of which program has begun."""
        self._write(f"[{self._done + 1}/{self._total}] {program}: {stage}")

    def done(self) -> None:
        """One program more is judged."""
        self._done += 1

    def clear(self) -> None:
        """Leave the line empty for what comes next."""
        self._write("")

    def _write(self, text: str) -> None:
        if not self._shows:
            return
        width = shutil.get_terminal_size().columns - 1
        with self._lock:
            self._stream.write(f"\r\x1b[2K{text[:width]}")
            self._stream.flush()
