"""Line changes: which lines of a text another one has in their place; few, where somebody is typing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

#: Texts that differ by more lines are not compared: something else happened than typing.
_MOST = 60


class Change(NamedTuple):
    """The lines from ``first`` up to ``last``, which is not among them, and what they became."""

    first: int
    last: int
    lines: tuple[str, ...]


def changes_between(old: Sequence[str], new: Sequence[str]) -> list[Change] | None:
    """The changes that make one text the other, in order; None where they are many.

    Myers' algorithm: how far one comes with so many lines taken away or put in, for each diagonal.
    """
    furthest = {1: 0}
    history: list[dict[int, int]] = []
    for effort in range(_MOST + 1):
        history.append(dict(furthest))
        for diagonal in range(-effort, effort + 1, 2):
            x = _step(furthest, diagonal, effort)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _changes(history, len(old), len(new), new)
    return None


def _step(furthest: dict[int, int], diagonal: int, effort: int) -> int:
    below, above = furthest.get(diagonal - 1, -1), furthest.get(diagonal + 1, -1)
    return above if diagonal == -effort or (diagonal != effort and below < above) else below + 1


def _changes(history: list[dict[int, int]], x: int, y: int, new: Sequence[str]) -> list[Change]:
    """The way back from the end, as changes."""
    steps: list[tuple[int, int, int, int]] = []
    for effort in range(len(history) - 1, 0, -1):
        furthest, diagonal = history[effort], x - y
        inserted = _step(furthest, diagonal, effort) == furthest.get(diagonal + 1, -1) and (
            diagonal == -effort
            or (diagonal != effort and furthest.get(diagonal - 1, -1) < furthest[diagonal + 1])
        )
        before = diagonal + 1 if inserted else diagonal - 1
        at_x = furthest[before]
        at_y = at_x - before
        steps.append((at_x, at_x, at_y, at_y + 1) if inserted else (at_x, at_x + 1, at_y, at_y))
        x, y = at_x, at_y
    found: list[Change] = []
    for first, last, begin, end in reversed(steps):
        if found and found[-1].last == first:
            found[-1] = Change(found[-1].first, last, (*found[-1].lines, *new[begin:end]))
        else:
            found.append(Change(first, last, tuple(new[begin:end])))
    return found
