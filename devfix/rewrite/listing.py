"""A comma-separated list in brackets: entries put in and taken out in the layout it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from devfix.rewrite.lines import NEWLINE
from devfix.rewrite.patch import Patch, Side
from devfix.rewrite.tree import Tree


@dataclass(frozen=True)
class Entry:
    """One element of a list; ``comma`` is where its comma ends, if it has one."""

    start: int
    end: int
    comma: int | None = None
    last: bool = False

    @property
    def stop(self) -> int:
        """The end of the entry with its comma."""
        return self.end if self.comma is None else self.comma


@dataclass(frozen=True)
class Listing:
    """The entries between two offsets; those marked ``last`` want to stay at the end."""

    tree: Tree
    start: int
    end: int
    entries: Sequence[Entry]
    newline: str
    bracketed: bool = True

    def insert(self, codes: Sequence[str]) -> Iterator[Patch]:
        """Patches that add entries at the end, but before those that want to be last."""
        if not self.entries:
            yield _insertion(self.end, ", ".join(codes))
        elif self.entries[-1].last:
            yield self._insert_before(self._first_of_last(), codes)
        elif self._one_per_line():
            yield from self._insert_lines(self.entries[-1], codes)
        elif self.entries[-1].comma is None:
            yield _insertion(self.entries[-1].end, "".join(f", {code}" for code in codes))
        else:
            yield _insertion(self.entries[-1].stop, "".join(f" {code}," for code in codes))

    def remove(self, numbers: set[int]) -> Iterator[Patch]:
        """Patches that take entries out, with their commas and the lines they had."""
        kept = [number for number in range(len(self.entries)) if number not in numbers]
        if not kept and not self._has_comments():
            yield Patch(self.start, self.end, "")
            return
        last = kept[-1] if kept else -1
        if last >= 0 and last + 1 < len(self.entries) and self.entries[-1].comma is None:
            comma = self.entries[last].stop
            yield Patch(comma - 1, comma, "")
        for number in sorted(numbers):
            yield self._removal(number, trailing=number > last)

    def _first_of_last(self) -> Entry:
        first = len(self.entries)
        while first and self.entries[first - 1].last:
            first -= 1
        return self.entries[first]

    def _insert_before(self, entry: Entry, codes: Sequence[str]) -> Patch:
        between = ", "
        if self._starts_line(entry):
            between = "," + self.newline + self.tree.lines.indent_of_line(entry.start)
        return _insertion(entry.start, "".join(code + between for code in codes))

    def _insert_lines(self, entry: Entry, codes: Sequence[str]) -> Iterator[Patch]:
        indent = self.tree.lines.indent_of_line(entry.start)
        if not self._has_newline(entry.stop, self.end):
            before = "" if entry.comma else ","
            after = "," if entry.comma else ""
            between = f",{self.newline}{indent}"
            code = before + self.newline + indent + between.join(codes) + after
            yield _insertion(entry.stop, code)
            return
        lines = [f"{indent}{code},{self.newline}" for code in codes]
        if entry.comma is None:
            yield _insertion(entry.end, ",")
            lines[-1] = f"{indent}{codes[-1]}{self.newline}"
        yield _insertion(self.tree.lines.start_of_next_line(entry.stop), "".join(lines))

    def _removal(self, number: int, *, trailing: bool) -> Patch:
        entry = self.entries[number]
        if self._has_line(entry):
            lines = self.tree.lines
            return Patch(lines.start_of_line(entry.start), lines.start_of_next_line(entry.stop), "")
        before = self.entries[number - 1].stop if number else self.start
        after = entry.stop if trailing else self.entries[number + 1].start
        ends_line = self._has_newline(entry.stop, after) and not self._starts_line(entry)
        if (trailing or (ends_line and number)) and not self._comment(before, entry.start):
            return Patch(before, entry.stop, "")
        return Patch(entry.start, after, "")

    def _one_per_line(self) -> bool:
        following = self.entries[1:] if len(self.entries) > 1 else self.entries
        return self.bracketed and all(map(self._starts_line, following))

    def _starts_line(self, entry: Entry) -> bool:
        start = self.tree.lines.start_of_line(entry.start)
        return not self.tree.text[start : entry.start].strip()

    def _has_line(self, entry: Entry) -> bool:
        """Whether an entry, its comma and a comment are all that stands on its lines."""
        following = self.tree.lines.start_of_next_line(entry.stop)
        rest = self.tree.text[entry.stop : following].strip()
        return self._starts_line(entry) and following <= self.end and rest[:1] in ("", "#")

    def _has_newline(self, start: int, end: int) -> bool:
        return NEWLINE.search(self.tree.text, start, end) is not None

    def _comment(self, start: int, end: int) -> bool:
        return "#" in self.tree.text[start:end]

    def _has_comments(self) -> bool:
        return any(self._comment(start, end) for start, end in self._gaps())

    def _gaps(self) -> Iterable[tuple[int, int]]:
        stops = [self.start, *(entry.stop for entry in self.entries)]
        starts = [*(entry.start for entry in self.entries), self.end]
        return zip(stops, starts, strict=True)


def _insertion(at: int, text: str) -> Patch:
    return Patch(at, at, text, Side.ARGUMENT)
