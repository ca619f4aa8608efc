"""Written: which parts of a text are not in what it was made of."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from functools import cached_property

from devfix import line_width
from devfix.findings import Span
from devfix.hunks import Hunk, hunks
from devfix.line_width import WIDEST, WIDTH
from devfix.source import Source

_TOKEN = re.compile(r"\w+|[^\w\s]")
#: A larger difference does not tell what was written.
_LARGEST = 1_000
#: What formatters are told, usually, of how long lines may be.
_LIMITS = (WIDTH, 100, WIDEST)
#: Where a part of a text begins and ends.
Offsets = tuple[int, int]


class Written:
    """The text ``after``, which was made of the text ``before``."""

    def __init__(self, before: Source, after: Source) -> None:
        self.before = before
        self.after = after

    def with_text(self, text: str) -> Written:
        """Another text that was made of the same."""
        return Written(self.before, self.after.with_text(text)) if text != self.after.text else self

    @cached_property
    def width(self) -> int:
        """How many columns new lines may have: as many as the longest line that was there, within bounds."""
        return line_width.of(self.before.lines)

    @cached_property
    def longest(self) -> int:
        """How many columns a new line may have without anybody breaking it: people, unlike formatters, leave lines whole."""
        return max(WIDEST, *(len(line.rstrip()) for line in self.before.lines), 0)

    @cached_property
    def limit(self) -> int:
        """How many columns the file's formatter allows, as its longest line tells: one that nobody uses allows as many."""
        longest = max((len(line.rstrip()) for line in self.before.lines), default=0)
        return next((each for each in _LIMITS if each >= longest), longest)

    def is_new_line(self, number: int) -> bool:
        """Whether a line, counted from 1, is changed or new."""
        return self._hunk(number) is not None

    def instead_of(self, number: int) -> str:
        """The lines in place of which a new line stands, and others beside it."""
        hunk = self._hunk(number)
        return "" if hunk is None else "".join(self.before.lines[hunk[0] : hunk[1]])

    def was_left_whole(self, number: int) -> bool:
        """Whether a line stands in place of one that nobody broke, though it was longer than formatters leave any."""
        hunk = self._hunk(number)
        if hunk is None or hunk[1] - hunk[0] != hunk[3] - hunk[2]:
            return False
        return len(self.before.lines[hunk[0] + number - 1 - hunk[2]].rstrip()) > WIDEST

    def holds(self, parts: list[Offsets]) -> bool:
        """Whether all parts, of one statement, were written in addition to what was there."""
        hunk = self._hunk(self.after.text.count("\n", 0, parts[0][0]) + 1)
        if hunk is None:
            return False
        first, last, new_first, new_last = hunk
        begin = sum(map(len, self.after.lines[:new_first]))
        old = _tokens("".join(self.before.lines[first:last]))
        new = "".join(self.after.lines[new_first:new_last])
        shorter = without(new, [(start - begin, end - begin) for start, end in parts])
        return _in_common(old, _tokens(new)) == _in_common(old, _tokens(shorter))

    def offsets(self, span: Span) -> Offsets:
        """Where a place of the text begins and ends."""
        return self._offset(*span.start), self._offset(*span.end)

    def _offset(self, line: int, column: int) -> int:
        return sum(map(len, self.after.lines[: line - 1])) + column

    @cached_property
    def _hunks(self) -> list[Hunk]:
        found = hunks(self.before.lines, self.after.lines)
        return [hunk for hunk in found if hunk[3] - hunk[2] <= _LARGEST]

    @cached_property
    def _ends(self) -> list[int]:
        return [hunk[3] for hunk in self._hunks]

    def _hunk(self, number: int) -> Hunk | None:
        at = bisect_left(self._ends, number)
        return self._hunks[at] if at < len(self._hunks) and self._hunks[at][2] < number else None


def without(text: str, parts: list[Offsets]) -> str:
    """A text without some of its parts."""
    for start, end in sorted(set(parts), reverse=True):
        text = text[:start] + text[end:]
    return text


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _in_common(old: list[str], new: list[str]) -> int:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())
