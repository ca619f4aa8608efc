"""Paint: terminal colours, or none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO

_STYLES = {"bold": "1", "red": "1;31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36", "dim": "2"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Wraps text in colours when ``on``; what obeys control codes is a ``terminal``."""

    on: bool = False
    terminal: bool = False

    def __call__(self, style: str, text: str) -> str:
        """``text`` in a style of ``_STYLES``."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.on and text else text


def printable(text: str) -> str:
    """A name or message on one line, with escapes for what a terminal would obey instead of showing it."""
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def printable_line(text: str) -> str:
    """A line of a file in the same way; a tab in it is as harmless as the carriage return that may end it."""
    line = text.removesuffix("\r")
    return "".join(each if each == "\t" else _shown(each) for each in line) + text[len(line) :]


def _shown(letter: str) -> str:
    return letter if letter.isprintable() else repr(letter)[1:-1]


def paint_for(color: str, stream: TextIO) -> Paint:
    """Colours for a stream, or none: ``always``, ``never``, or ``auto`` for a terminal where NO_COLOR is not set.

    FORCE_COLOR stands for a terminal: a service that keeps what is printed shows colours, and is none.
    """
    terminal = stream.isatty()
    if color != "auto":
        return Paint(color == "always", terminal)
    if os.environ.get("NO_COLOR"):
        return Paint(terminal=terminal)
    forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
    return Paint(forced or (terminal and os.environ.get("TERM") != "dumb"), terminal)


def paint_of_patch(color: str, stream: TextIO) -> Paint:
    """Colours for a patch: what goes to no terminal is for a program to read, whatever FORCE_COLOR says."""
    return paint_for("never" if color == "auto" and not stream.isatty() else color, stream)
