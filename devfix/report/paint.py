"""Paint: terminal colours, or none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO

_STYLES = {"bold": "1", "red": "1;31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36", "dim": "2"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Wraps text in colours when ``on``."""

    on: bool = False

    def __call__(self, style: str, text: str) -> str:
        """``text`` in a style of ``_STYLES``."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.on and text else text


def printable(text: str) -> str:
    """A name or message on one line, with escapes for what a terminal would obey instead of showing it."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def paint_for(color: str, stream: TextIO) -> Paint:
    """Colours for a stream, or none: ``always``, ``never``, or ``auto`` for a terminal where NO_COLOR is not set."""
    if color != "auto":
        return Paint(color == "always")
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return Paint(stream.isatty() and not plain)
