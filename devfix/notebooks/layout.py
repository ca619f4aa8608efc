"""Layout: which line of a notebook's program text stands where in the cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from devfix.findings import Span


class CellPlace(NamedTuple):
    """A position in a notebook: the code cell and its line from 1, the column from 0."""

    cell: int
    line: int
    column: int


class Line(NamedTuple):
    """Where a line of the program stands in the cells: from ``after`` on its columns are ``shift`` further right.

    A line that is in no cell (not ``is_own``) is shown as the one that it is next to.
    """

    cell: int
    line: int
    after: int = 0
    shift: int = 0
    is_own: bool = True


@dataclass(frozen=True)
class Layout:
    """The cells that a program text falls into, and the way from its lines to theirs and back."""

    texts: tuple[str, ...]
    lines: tuple[Line, ...]

    def place(self, line: int, column: int) -> CellPlace:
        """Where a position of the program stands."""
        if not self.lines:
            return CellPlace(1, 1, 0)
        found = self.lines[min(max(line, 1), len(self.lines)) - 1]
        return CellPlace(found.cell, found.line, column + found.shift * (column >= found.after))

    def span(self, span: Span) -> tuple[int, Span]:
        """The cell that a region of the program begins in, and the region there."""
        cell, line, column = self.place(*span.start)
        end_cell, end_line, end_column = self.place(*span.end)
        if end_cell != cell:
            return cell, Span(line, column, line, column)
        return cell, Span(line, column, end_line, end_column)

    def position(self, place: CellPlace) -> tuple[int, int] | None:
        """The line and column of the program for a place in a cell; None where that is no Python."""
        number = self._numbers.get((place.cell, place.line))
        if number is None:
            return None
        found = self.lines[number - 1]
        return number, max(place.column - found.shift * (place.column >= found.after + found.shift), 0)

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], int]:
        own = ((number, line) for number, line in enumerate(self.lines, 1) if line.is_own)
        return {(line.cell, line.line): number for number, line in own}
