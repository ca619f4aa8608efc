"""Cell source: where the text of one cell stands in the file, a string or a list of strings, and its new text there."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from devfix.notebooks.json_text import Part, items, units
from devfix.notebooks.spelling import Spelling
from devfix.simulator.cells import split_lines


@dataclass(frozen=True)
class CellSource:
    """The region of a cell's ``source``, and those of its strings."""

    start: int
    end: int
    strings: tuple[tuple[int, int], ...]
    text: str

    @classmethod
    def at(cls, raw: str, part: Part) -> CellSource:
        """The source that is written at a part of the file; raises TypeError where it is no text."""
        if isinstance(part.value, str):
            return cls(part.start, part.end, ((part.start, part.end),), part.value)
        strings = [*items(raw, part)] if isinstance(part.value, list) else []
        if not isinstance(part.value, list) or not all(isinstance(each.value, str) for each in strings):
            raise TypeError("the source of a cell is no text")
        regions = tuple((each.start, each.end) for each in strings)
        return cls(part.start, part.end, regions, "".join(part.value))

    def is_list(self, raw: str) -> bool:
        """Whether it is written as a list of strings."""
        return raw[self.start] == "["

    def literals(self, raw: str) -> list[str]:
        """Its strings as they are written."""
        return [raw[start:end] for start, end in self.strings]

    def separator(self, raw: str) -> str | None:
        """What stands between two of its strings, where it has two."""
        return raw[self.strings[0][1] : self.strings[1][0]] if len(self.strings) > 1 else None

    def offset(self, raw: str, at: int) -> int:
        """Where in the file the character ``at`` of the text is written, or where the text ends."""
        for start, end in self.strings:
            written = units(raw[start:end])
            if at < len(written):
                return start + 1 + sum(len(unit) for _, unit in written[:at])
            at -= len(written)
        return self.strings[-1][1] - 1 if self.strings else self.end - 1

    def written(self, raw: str, text: str, spelling: Spelling, separator: str) -> str:
        """What stands in the place of the source when the cell's text is another.

        Lines that stay are written as they were. ``separator`` is what other cells have between strings.
        """
        literals = self.literals(raw)
        if not self.is_list(raw):
            return self._as_string(literals[0], text, spelling)
        values = ["".join(character for character, _ in units(literal)) for literal in literals]
        split = _split_like(values)
        if split is None:
            # The strings are not its lines: such a list becomes one as Jupyter writes it.
            split = split_lines
        if len(values) == 1 and len(split(values[0])) > 1:
            [(start, end)] = self.strings
            return (
                raw[self.start : start] + self._as_string(literals[0], text, spelling) + raw[end : self.end]
            )
        fresh = _kept(values, split(text), literals, spelling.literal)
        return self._as_list(raw, fresh, separator)

    def _as_string(self, literal: str, text: str, spelling: Spelling) -> str:
        before = _lines_of_units(literal)
        values = ["".join(character for character, _ in line) for line in before]
        written = ["".join(unit for _, unit in line) for line in before]
        return f'"{"".join(_kept(values, split_lines(text), written, spelling.content))}"'

    def _as_list(self, raw: str, fresh: Sequence[str], separator: str) -> str:
        if not self.strings:
            return f"[{', '.join(fresh)}]"
        opening = raw[self.start : self.strings[0][0]]
        closing = raw[self.strings[-1][1] : self.end]
        own = self.separator(raw) or _separator_after(opening, separator)
        return opening + own.join(fresh) + closing if fresh else "[]"


def _separator_after(opening: str, usual: str) -> str:
    """What goes between strings of a list that had one: each on a line of its own, where that one was."""
    space = opening[1:]
    if "\n" in space:
        return "," + space
    return ", " if usual != "," else ","


def _split_like(values: Sequence[str]) -> Callable[[str], list[str]] | None:
    """How a text becomes the strings of a list: Jupyter also splits where Python sees no new line."""
    text = "".join(values)
    for split in (split_lines, _split_widely):
        if split(text) == list(values):
            return split
    return None


def _split_widely(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _lines_of_units(literal: str) -> list[list[tuple[str, str]]]:
    found = units(literal)
    lines, start = [], 0
    for line in split_lines("".join(character for character, _ in found)):
        lines.append(found[start : start + len(line)])
        start += len(line)
    return lines


def _kept(
    before: Sequence[str], after: Sequence[str], written: Sequence[str], write: Callable[[str], str]
) -> list[str]:
    """The new lines as they are written: those that were there before as they were."""
    found: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        found += written[first:last] if tag == "equal" else map(write, after[new_first:new_last])
    return found
