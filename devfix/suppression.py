"""Suppression: a comment that tells devfix to leave a line or a file alone.

``# devfix: ignore`` silences every rule on its line, ``# devfix: ignore[DF101, created-on-cpu]``
only the rules named, and ``# devfix: ignore-file[...]`` does the same for the whole file.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from devfix.findings import Span

#: What a text must contain before its comments are worth a look.
MARKER = "devfix:"

_COMMENT = re.compile(r"#\s*devfix:(?P<body>[^#]*)")
_BODY = re.compile(r"\s*ignore(?P<file>-file)?\s*(?:\[(?P<rules>[^\]]*)\]|(?![\w\[-]))")

_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}


@dataclass(frozen=True, slots=True)
class Suppression:
    """One suppressing comment.

    ``rules`` holds the codes and names as written; empty silences all. ``statement`` is the range
    of lines of the logical line the comment ends or stands in. ``malformed`` comments suppress
    nothing and are reported.
    """

    span: Span
    text: str
    rules: tuple[str, ...]
    statement: tuple[int, int]
    whole_file: bool = False
    malformed: bool = False

    def covers(self, span: Span) -> bool:
        """Whether a finding at ``span`` stands where this comment speaks.

        It does when the comment is on one of the finding's own lines, or closes the statement in
        which the finding begins.
        """
        if self.whole_file:
            return True
        first, last = self.statement
        closes = self.span.line == last and first <= span.line <= last
        return closes or span.line <= self.span.line <= span.end_line


def find_suppressions(text: str) -> tuple[Suppression, ...]:
    """All suppressing comments of ``text``, which must be valid Python."""
    if MARKER not in text:
        return ()
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[Suppression]:
    pending: list[tokenize.TokenInfo] = []
    first = 0
    for token in _tokens(text):
        if token.type == tokenize.COMMENT and MARKER in token.string:
            pending.append(token)
        if token.type not in _LAYOUT and first == 0:
            first = token.start[0]
        if token.type == tokenize.NEWLINE or (token.type == tokenize.NL and first == 0):
            yield from _flush(pending, first or token.start[0], token.start[0])
            first = 0
    yield from _flush(pending, 0, 0)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    # The tokenizer knows "\n" and "\r\n" only; columns do not change by this.
    lines = io.StringIO(text, newline=None)
    return tokenize.generate_tokens(lines.readline)


def _flush(pending: list[tokenize.TokenInfo], first: int, last: int) -> Iterator[Suppression]:
    for token in pending:
        for match in _COMMENT.finditer(token.string):
            yield _parse(token, match, (first or token.start[0], last or token.start[0]))
    pending.clear()


def _parse(token: tokenize.TokenInfo, match: re.Match[str], statement: tuple[int, int]) -> Suppression:
    line, column = token.start
    # Other white space counts for Python in comments alone: it must not stay behind without its comment.
    written = match.group().rstrip(" \t\f")
    span = Span(line, column + match.start(), line, column + match.start() + len(written))
    body = _BODY.match(match["body"])
    if body is None:
        return Suppression(span, written, (), statement, malformed=True)
    listed = body["rules"]
    rules = tuple(filter(None, (name.strip() for name in (listed or "").split(","))))
    empty_list = listed is not None and not rules
    return Suppression(span, written, rules, statement, body["file"] is not None, malformed=empty_list)
