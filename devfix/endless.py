"""Endless fixing: fixes that make work for each other, and those among them that undo each other."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from devfix.deeds import Named
from devfix.states import State, texts_of

#: Rounds of fixing after which fixes are taken to feed on each other.
MAX_PASSES = 10

#: What a program was before some findings were fixed, and those.
Step = tuple[frozenset[tuple[str, str]], AbstractSet[Named]]


class NotConvergingError(Exception):
    """Fixes keep making work for each other; ``paths`` are the files they change.

    ``undone`` are the findings whose fixes led back to where they began, if they did.
    """

    def __init__(self, way: Sequence[Step], end: State) -> None:
        edits = (edit for finding in end.fixed if finding.fix for edit in finding.fix.edits)
        self.paths = frozenset(edit.path for edit in edits)
        self.undone = _undone(way, end)
        super().__init__(f"fixes still change {', '.join(sorted(self.paths))} after {MAX_PASSES} passes")


def _undone(way: Sequence[Step], end: State) -> frozenset[Named]:
    """The findings fixed on a way since its end was reached before; none where it never was."""
    texts = texts_of(end.program)
    turns = [number for number, (before, _) in enumerate(way) if before == texts]
    return frozenset().union(*(fixed for _, fixed in way[turns[-1] :])) if turns else frozenset()
