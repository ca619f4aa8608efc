"""Lines and offsets of a text, counted as Python's tokenizer counts them."""

from __future__ import annotations

import re
from bisect import bisect_right

from devfix.findings import Span
from devfix.rewrite.error import EditError

NEWLINE = re.compile(r"\r\n|\n|\r")
_BLANK = re.compile(r"[ \t\f]*(?:\r\n|\n|\r)")
_INDENT = re.compile(r"[ \t\f]*")


class Lines:
    """A text with the offsets at which its lines start.

    ``str.splitlines`` would also break at form feeds and Unicode separators, which are no line
    ends in Python source.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in NEWLINE.finditer(text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of a 1-based line and a 0-based column of code points."""
        return self.starts[line - 1] + column

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds ``offset``."""
        return bisect_right(self.starts, offset)

    def start_of_line(self, offset: int) -> int:
        """The offset at which the line that holds ``offset`` starts."""
        return self.starts[self.line_of(offset) - 1]

    def start_of_next_line(self, offset: int) -> int:
        """The offset after the newline of the line that holds ``offset``."""
        line = self.line_of(offset)
        return self.starts[line] if line < len(self.starts) else len(self.text)

    def indent_of_line(self, offset: int) -> str:
        """The whitespace that starts the line that holds ``offset``, without form feeds."""
        return indent_of(self.text, self.start_of_line(offset))

    def region(self, span: Span) -> tuple[int, int]:
        """The offsets of a span; raises EditError when the text has no such place."""
        last = len(self.starts)
        if not 1 <= span.line <= span.end_line <= last:
            raise EditError(f"Line {span.end_line} is not in the text, which has {last} lines.")
        start = self.offset(span.line, span.column)
        end = self.offset(span.end_line, span.end_column)
        if not 0 <= start <= end <= len(self.text):
            raise EditError(f"Column {span.end_column} is not in line {span.end_line}.")
        return start, end


def newline_of(text: str) -> str:
    """The newline that most lines of ``text`` end with."""
    carriage = text.count("\r\n")
    return "\r\n" if carriage * 2 > text.count("\n") else "\n"


def indent_of(text: str, start: int = 0) -> str:
    """The whitespace at ``start``; what stands before a form feed counts for nothing."""
    found = _INDENT.match(text, start)
    return found.group().rpartition("\f")[2] if found else ""


def blank_lines_at_end(text: str, floor: int = 0) -> list[int]:
    """The offsets of the blank lines that end ``text``, last first, down to ``floor``."""
    starts: list[int] = []
    end = len(text)
    while end > floor:
        start = _line_start_before(text, end, floor)
        if not _BLANK.fullmatch(text, start, end):
            break
        starts.append(start)
        end = start
    return starts


def blank_lines_at_start(text: str) -> list[int]:
    """The offsets at which the blank lines that start ``text`` end, first first."""
    ends: list[int] = []
    at = 0
    while found := _BLANK.match(text, at):
        at = found.end()
        ends.append(at)
    return ends


def _line_start_before(text: str, end: int, floor: int) -> int:
    """The start of the line whose newline ends at ``end``."""
    body = end - 1
    if text.endswith("\r\n", floor, end):
        body = end - 2
    return max(text.rfind("\n", floor, body), text.rfind("\r", floor, body), floor - 1) + 1
