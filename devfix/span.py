"""Spans: regions of a file.

Lines are 1-based, columns are 0-based and count Unicode code points (as LibCST does; ``ast`` counts
UTF-8 bytes and is converted where sources are read).
"""

from __future__ import annotations

from devfix.records import ordered


@ordered
class Span:
    """A half-open region of one file: from ``(line, column)`` up to ``(end_line, end_column)``."""

    line: int
    column: int
    end_line: int
    end_column: int

    def __hash__(self) -> int:
        return hash((self.line, self.column, self.end_column))

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies within this span (equal spans contain each other)."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share at least one character; empty spans overlap nothing."""
        return self.start < other.end and other.start < self.end

    @property
    def start(self) -> tuple[int, int]:
        """The first position, as ``(line, column)``."""
        return (self.line, self.column)

    @property
    def end(self) -> tuple[int, int]:
        """The position after the last character, as ``(line, column)``."""
        return (self.end_line, self.end_column)
