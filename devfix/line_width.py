"""Line width: how long a line that joins others may become."""

from __future__ import annotations

from collections.abc import Iterable

#: The columns of a line, as formatters have them by default.
WIDTH = 88
#: No line is longer on account of another.
WIDEST = 120


def of(lines: Iterable[str]) -> int:
    """How many columns new lines of a file may have: as many as the longest line that was there, within bounds."""
    return min(WIDEST, max(WIDTH, *(len(line.rstrip()) for line in lines), 0))
