"""Kept trees: which files are not parsed a second time when the turn of their program comes.

A program is analysed with the trees of all its files in memory, so those of the largest one may stay there from the
first look at the files. Which files are one program is only known when all have been read: until then those count
as one that import one another.
"""

from __future__ import annotations

from collections.abc import Iterable

from devfix.source import Source


class KeptTrees:
    """Lets the trees stay of the largest group of files seen so far, and of ``room`` code points of text beside it."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._above: dict[str, str] = {}
        #: How much text there is in each group, and its sources with trees, by a file that stands for the group.
        self._sizes: dict[str, int] = {}
        self._kept: dict[str, list[Source]] = {}
        self._largest = ""
        #: How much text of each group has its trees, and of all of them.
        self._held: dict[str, int] = {}
        self._all = 0

    def add(self, source: Source, neighbours: Iterable[str]) -> None:
        """One more file was parsed, which belongs with its ``neighbours``."""
        size = len(source.text)
        group = self._find(source.path)
        for neighbour in neighbours:
            group = self._one(group, self._find(neighbour))
        self._sizes[group] = self._sizes.get(group, 0) + size
        before = self._find(self._largest)
        self._largest = max(before, group, key=lambda each: self._sizes.get(each, 0))
        if group != self._largest and self._beside() + size > self._room:
            source.forget()
            return
        self._kept.setdefault(group, []).append(source)
        self._held[group] = self._held.get(group, 0) + size
        self._all += size
        if before != self._largest and self._beside() > self._room:
            self._forget(before)

    def _beside(self) -> int:
        """How much text has its trees and is not of the largest group."""
        return self._all - self._held.get(self._largest, 0)

    def _find(self, path: str) -> str:
        while (above := self._above.get(path)) is not None:
            path = above
        return path

    def _one(self, a: str, b: str) -> str:
        """Make one group of two; the file that stands for it."""
        if a == b:
            return a
        if self._sizes.get(a, 0) < self._sizes.get(b, 0):
            a, b = b, a
        self._above[b] = a
        self._sizes[a] = self._sizes.get(a, 0) + self._sizes.pop(b, 0)
        if b in self._kept:
            self._kept.setdefault(a, []).extend(self._kept.pop(b))
            self._held[a] = self._held.get(a, 0) + self._held.pop(b)
        return a

    def _forget(self, group: str) -> None:
        self._all -= self._held.pop(group, 0)
        for source in self._kept.pop(group, ()):
            source.forget()
