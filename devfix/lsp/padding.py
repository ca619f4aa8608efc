"""Padding: texts with room between their statements, so that an edit moves no other statement.

Blank lines before a statement mean nothing. Where each statement has some, a line that is typed takes the
place of one, and whatever was found out about the other lines still stands where it stood.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace

from devfix.analysis.text.syntax import first_line, statements_in
from devfix.findings import Span
from devfix.lsp.grafting import Graft, graft, innermost
from devfix.lsp.line_changes import Change, changes_between
from devfix.source import Source

#: So many blank lines stand before each statement.
_ROOM = 12
#: After so many statements a new start is made.
_MOST_REMOVED = 2_000
#: A change with one of these words may change what belongs to the program, or what all of it is judged by.
_GRAVE = ("import", "mps")


class PaddedText:
    """A text, the same with room between its statements, and the tree of that, all kept up to date."""

    def __init__(self, source: Source) -> None:
        self._blank = source.newline
        self._lines = list(source.lines)
        padded, self._places = _padded(source, self._blank)
        #: What is analysed.
        self.source = _with_lines(source, padded)
        #: Nodes that are gone; what is known by their identity must not be taken for others'.
        self._removed: list[ast.stmt] = []

    def edit(self, text: Source) -> list[Graft] | None:
        """Take over another text; None where that needs a new start, and then all is as it was."""
        changes = changes_between(self._lines, text.lines)
        if changes is None or len(self._removed) > _MOST_REMOVED:
            return None
        source, lines, places = self.source, self._lines, self._places
        self._lines, self._places = list(lines), list(places)
        grafts: list[Graft] = []
        for change in reversed(changes):
            made = self._change(change)
            if made is None:
                for each in reversed(grafts):
                    each.undo()
                self.source, self._lines, self._places = source, lines, places
                return None
            grafts.append(made)
        self._removed += [node for made in grafts for node in made.removed]
        return grafts

    def suppose(self, text: Source) -> tuple[list[Graft], Callable[[], None]] | None:
        """Take over another text for the time being; who calls what is returned with the edits has all as it was."""
        source, lines, places, removed = self.source, self._lines, self._places, len(self._removed)
        grafts = self.edit(text)
        if grafts is None:
            return None

        def back() -> None:
            for each in reversed(grafts):
                each.undo()
            self.source, self._lines, self._places = source, lines, places
            del self._removed[removed:]

        return grafts, back

    def moved(self, span: Span) -> Span:
        """Where a span of the padded text is in the text itself."""
        return replace(span, line=self._real(span.line), end_line=self._real(span.end_line))

    def _real(self, line: int) -> int:
        return bisect_left(self._places, line - 1) + 1

    def _change(self, change: Change) -> Graft | None:
        """One change; those after it were made before."""
        if any(
            word in line
            for line in (*change.lines, *self._lines[change.first : change.last])
            for word in _GRAVE
        ):
            return None
        if len(change.lines) != change.last - change.first:
            change = self._whole(self._with_other_lines(change))
        first, last, lines = change
        padded = self.source.lines
        low, high = self._between(first, last)
        # Most of what follows is typed below.
        wanted = self._places[first] if first < last else low + (high - low - len(lines)) // 8
        begin = min(wanted, high - len(lines))
        if begin < low or not all(line.endswith(("\n", "\r")) for line in (*lines, *padded[low:high])):
            return None
        rest = [self._blank] * (high - begin - len(lines))
        new = [*padded[:low], *[self._blank] * (begin - low), *lines, *rest, *padded[high:]]
        made = graft(self.source.tree, padded, new, low + 1, high)
        if made is not None:
            self._lines[first:last] = lines
            self._places[first:last] = range(begin, begin + len(lines))
            tree = self.source.tree
            self.source = _with_lines(self.source, new)
            self.source.__dict__["tree"] = tree
        return made

    def _between(self, first: int, last: int) -> tuple[int, int]:
        """The padded lines between those that stand around some lines of the text."""
        low = self._places[first - 1] + 1 if first else 0
        return low, self._places[last] if last < len(self._places) else len(self.source.lines)

    def _with_other_lines(self, change: Change) -> Change:
        """A change with the blank lines and comments around it: the room of the text is beyond them."""
        first, last, lines = change
        while first and _is_no_code(self._lines[first - 1]):
            first -= 1
        while last < len(self._lines) and _is_no_code(self._lines[last]):
            last += 1
        return Change(
            first, last, (*self._lines[first : change.first], *lines, *self._lines[change.last : last])
        )

    def _whole(self, change: Change) -> Change:
        """A change within a statement as one of all its lines: there is no room between them."""
        low, high = self._between(change.first, change.last)
        node = innermost(self.source.tree, low, high + 1)
        if node is None:
            return change
        first, end = (
            bisect_left(self._places, node.lineno - 1),
            bisect_left(self._places, node.end_lineno or 0),
        )
        before, after = self._lines[first : change.first], self._lines[change.last : end]
        return Change(first, end, (*before, *change.lines, *after))


def _is_no_code(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith("#")


def _with_lines(source: Source, lines: list[str]) -> Source:
    made = source.with_text("".join(lines))
    made.__dict__["lines"] = lines
    return made


def _padded(source: Source, blank: str) -> tuple[list[str], list[int]]:
    """The lines with room before each statement, and where each line of the text is among them."""
    starts = set(_beginnings(source))
    padded: list[str] = []
    places: list[int] = []
    for number, line in enumerate(source.lines, 1):
        if number in starts:
            padded += [blank] * _ROOM
        places.append(len(padded))
        padded.append(line)
    if source.text.endswith(blank):
        padded += [blank] * _ROOM
    return padded, places


def _beginnings(source: Source) -> Iterator[int]:
    """The lines that begin with a statement or a part of a decorated one, and continue no other."""
    lines = source.lines
    for node in statements_in(source.tree):
        if not isinstance(node, ast.stmt):
            continue
        decorated = getattr(node, "decorator_list", ())
        yield from (each.lineno for each in decorated)
        if decorated:
            yield node.lineno
        number = first_line(node)
        line, before = lines[number - 1], lines[number - 2] if number > 1 else ""
        column = len(line) - len(line.lstrip())
        begins = column == node.col_offset or line[column : column + 1] == "@"
        if begins and not before.rstrip("\r\n").endswith("\\"):
            yield number
