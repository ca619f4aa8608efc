r"""Positions: between the client's, in code units of the encoding agreed on, and offsets into the text.

The protocol and Python split lines at the same places: after ``\n``, ``\r\n`` and ``\r``, and nowhere else.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property

from lsprotocol import types

from devfix.findings import Span

_UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text) + sum(character > "\uffff" for character in text),
    "utf-32": len,
}


class Lines:
    """The lines of one text, to find places in it."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._plain = text.isascii()
        self._units = _UNITS[encoding]

    @cached_property
    def lines(self) -> list[str]:
        """The lines with their ends; an empty one last, where the text ends with a newline or is empty."""
        lines = list(io.StringIO(self.text, newline=""))
        if not lines or lines[-1].endswith(("\n", "\r")):
            lines.append("")
        return lines

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line begins."""
        starts, offset = [], 0
        for line in self.lines:
            starts.append(offset)
            offset += len(line)
        return starts

    def offset(self, position: types.Position) -> int:
        """The offset of a position; one past the end of a line, or of the text, is that end."""
        if position.line >= len(self.lines):
            return len(self.text)
        line = self.lines[position.line].rstrip("\r\n")
        return self.starts[position.line] + self._column(line, position.character)

    def _column(self, line: str, units: int) -> int:
        if self._plain or line.isascii():
            return min(units, len(line))
        used = 0
        for column, character in enumerate(line):
            if used >= units:
                return column
            used += self._units(character)
        return len(line)

    def position(self, offset: int) -> types.Position:
        """The position of an offset."""
        number = bisect_right(self.starts, offset) - 1
        return self.at(number, offset - self.starts[number])

    def at(self, number: int, column: int) -> types.Position:
        """The position of a column, in code points, of a line that is counted from 0."""
        before = self.lines[number][:column]
        return types.Position(number, len(before) if self._plain else self._units(before))

    def range(self, span: Span) -> types.Range:
        """A span as the client counts; one that the text is too short for ends with it."""
        return types.Range(self._point(span.line, span.column), self._point(span.end_line, span.end_column))

    def _point(self, line: int, column: int) -> types.Position:
        if line > len(self.lines):
            return self.position(len(self.text))
        return self.at(line - 1, column)

    def point(self, position: types.Position) -> tuple[int, int]:
        """A position as spans count: lines from 1, columns in code points."""
        offset = self.offset(position)
        number = bisect_right(self.starts, offset) - 1
        return number + 1, offset - self.starts[number]
