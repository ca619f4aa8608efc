"""Silencing: comments that suppress findings, put where they work."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from devfix.findings import Finding
from devfix.suppression import Suppression, find_suppressions


@dataclass(frozen=True)
class Insertion:
    """Text to put at a place: a line counted from 1, and a column in code points."""

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Silenced:
    """A text with comments for findings, how many there are more, and the findings for which there can be none."""

    text: str
    comments: int
    left: tuple[Finding, ...]


def silence(text: str, finding: Finding) -> Insertion | None:
    """What to write so that one finding is suppressed, or None where no comment can stand."""
    try:
        plan = _Plan(text)
    except (tokenize.TokenError, SyntaxError):
        return None
    plan.settle([finding])
    insertions = list(plan.insertions(""))
    return insertions[0] if insertions else None


def silenced(text: str, findings: Sequence[Finding], reason: str = "") -> Silenced:
    """A text in which the findings are suppressed, by one comment on a line for all that stand there.

    The first line of a finding comes first, then the other lines it spans, then the end of the
    statement. Comments of ours that are there already get more codes, and nothing but comments changes.
    """
    try:
        plan = _Plan(text)
    except (tokenize.TokenError, SyntaxError):
        return Silenced(text, 0, tuple(findings))
    left = plan.settle(findings)
    after = plan.text_after(reason)
    if ast.dump(ast.parse(after)) != ast.dump(ast.parse(text)):
        return Silenced(text, 0, tuple(findings))
    return Silenced(after, len(plan.codes), tuple(left))


@dataclass(frozen=True)
class _Line:
    """A physical line without its end; ``open`` when a string or a backslash goes on in the next one."""

    text: str
    open: bool
    statement_end: int


@dataclass
class _Plan:
    """The codes that the comments of a text are to get, line by line."""

    text: str
    codes: dict[int, dict[str, None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = list(_lines(self.text))
        self.comments = find_suppressions(self.text)

    def settle(self, findings: Sequence[Finding]) -> list[Finding]:
        """Find a line for each finding; those for which there is none are returned."""
        tried = [(finding, list(_candidates(finding, self.lines))) for finding in findings]
        left = [finding for finding, numbers in tried if not numbers]
        places = [(finding, numbers) for finding, numbers in tried if numbers]
        while True:
            self.codes = {}
            for finding, numbers in places:
                self.codes.setdefault(numbers[0], {})[finding.code] = None
            after = find_suppressions(self.text_after(""))
            failing = [number for number, (finding, _) in enumerate(places) if not _covered(after, finding)]
            if not failing:
                return left
            for number in reversed(failing):
                finding, numbers = places[number]
                del numbers[0]
                if not numbers:
                    left.insert(0, finding)
                    del places[number]

    def text_after(self, reason: str) -> str:
        """The text with the comments."""
        lines = list(io.StringIO(self.text, newline=""))
        for each in self.insertions(reason):
            line = lines[each.line - 1]
            lines[each.line - 1] = line[: each.column] + each.text + line[each.column :]
        return "".join(lines)

    def insertions(self, reason: str) -> Iterator[Insertion]:
        """What to write where: a new comment behind a line, or codes into one that is there."""
        for number, codes in self.codes.items():
            yield self._insertion(number, list(codes), reason)

    def _insertion(self, number: int, codes: list[str], reason: str) -> Insertion:
        for comment in self.comments:
            if _may_grow(comment, number):
                more = [code for code in codes if code not in comment.rules]
                place = comment.span.column + comment.text.index("]")
                return Insertion(number, place, "".join(f", {code}" for code in more))
        ending = f" {reason}" if reason else ""
        column = len(self.lines[number - 1].text.rstrip())
        return Insertion(number, column, f"  # devfix: ignore[{', '.join(codes)}]{ending}")


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


def _candidates(finding: Finding, lines: Sequence[_Line]) -> Iterator[int]:
    span = finding.span
    numbers = [*range(span.line, span.end_line + 1)]
    if span.line <= len(lines):
        numbers.append(lines[span.line - 1].statement_end)
    yield from (
        number for number in dict.fromkeys(numbers) if number <= len(lines) and not lines[number - 1].open
    )


def _may_grow(comment: Suppression, number: int) -> bool:
    own = comment.span.line == number and not comment.whole_file
    return own and bool(comment.rules) and not comment.malformed


def _covered(comments: Sequence[Suppression], finding: Finding) -> bool:
    return any(comment.covers(finding.span) and finding.code in comment.rules for comment in comments)
