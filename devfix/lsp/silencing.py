"""Silencing: a comment that suppresses one finding, put where it works."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from devfix.findings import Finding
from devfix.suppression import Suppression, find_suppressions


@dataclass(frozen=True)
class Insertion:
    """Text to put at a place: a line counted from 1, and a column in code points."""

    line: int
    column: int
    text: str


def silence(text: str, finding: Finding) -> Insertion | None:
    """What to write so that the finding is suppressed, or None where no comment can stand.

    Its own line comes first, then the other lines it spans, then the end of the statement. A comment of
    ours that is there already gets one more code.
    """
    try:
        lines = list(_lines(text))
    except (tokenize.TokenError, SyntaxError):
        return None
    comments = find_suppressions(text)
    for number in _candidates(finding, lines):
        insertion = _insertion(lines[number - 1], number, finding.code, comments)
        if insertion is not None and _works(text, insertion, finding):
            return insertion
    return None


@dataclass(frozen=True)
class _Line:
    """A physical line without its end; ``open`` when a string or a backslash goes on in the next one."""

    text: str
    open: bool
    statement_end: int


def _lines(text: str) -> Iterator[_Line]:
    physical = list(io.StringIO(text, newline=""))
    within: set[int] = set()
    ends: dict[int, int] = {}
    first = 1
    tokens = tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    for token in tokens:
        if token.start[0] != token.end[0] and token.type != tokenize.NEWLINE:
            within.update(range(token.start[0], token.end[0]))
        if token.type == tokenize.NEWLINE:
            ends.update(dict.fromkeys(range(first, token.start[0] + 1), token.start[0]))
            first = token.start[0] + 1
    for number, line in enumerate(physical, 1):
        bare = line.rstrip("\r\n")
        yield _Line(bare, number in within or bare.endswith("\\"), ends.get(number, number))


def _candidates(finding: Finding, lines: list[_Line]) -> Iterator[int]:
    span = finding.span
    numbers = [*range(span.line, span.end_line + 1)]
    if span.line <= len(lines):
        numbers.append(lines[span.line - 1].statement_end)
    yield from (
        number for number in dict.fromkeys(numbers) if number <= len(lines) and not lines[number - 1].open
    )


def _insertion(line: _Line, number: int, code: str, comments: tuple[Suppression, ...]) -> Insertion | None:
    for comment in comments:
        if comment.span.line == number and comment.rules and not comment.whole_file and not comment.malformed:
            end = comment.text.index("]")
            return Insertion(number, comment.span.column + end, f", {code}")
    return Insertion(number, len(line.text.rstrip()), f"  # devfix: ignore[{code}]")


def _works(text: str, insertion: Insertion, finding: Finding) -> bool:
    lines = list(io.StringIO(text, newline=""))
    line = lines[insertion.line - 1]
    lines[insertion.line - 1] = line[: insertion.column] + insertion.text + line[insertion.column :]
    return any(
        comment.covers(finding.span) and finding.code in comment.rules
        for comment in find_suppressions("".join(lines))
    )
