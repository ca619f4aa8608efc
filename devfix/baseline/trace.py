"""Trace: what a finding is known by when lines have moved, and the file is formatted anew."""

from __future__ import annotations

import ast
import hashlib
import io
import os
import token
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from devfix.findings import Finding
from devfix.source import Source

#: Longer statements are known by their beginning and a hash of all of them.
_LONGEST = 200
_HASH = 16
_UNESSENTIAL = str.maketrans("", "", "()'\" \t")
_NO_TEXT = {token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER, tokenize.NL, tokenize.COMMENT}
#: From Python 3.12 on a string with fields comes in pieces.
_OPENING = {getattr(token, name, -1) for name in ("FSTRING_START", "TSTRING_START")}
_CLOSING = {getattr(token, name, -1) for name in ("FSTRING_END", "TSTRING_END")}
_TIGHT_BEFORE = frozenset(")]},.:;(")
_TIGHT_AFTER = frozenset("([{.")


@dataclass(frozen=True, order=True, slots=True)
class Trace:
    """One finding or several alike: of one rule, in one function or class, in statements that read the same.

    ``path`` is relative to the folder of the baseline and has slashes. ``scope`` is a dotted name, empty at
    the top of a module. ``text`` is the statement without comments, line breaks and other layout.
    """

    path: str
    code: str
    scope: str
    text: str

    @property
    def essential(self) -> Trace:
        """The trace by what no formatter changes: quotes come and go, and so do parentheses."""
        return replace(self, text=_essence(self.text))

    @property
    def anywhere(self) -> Trace:
        """The trace in any scope: functions are renamed, and statements move."""
        return replace(self, scope="")

    @property
    def moved(self) -> Trace:
        """The trace in any file, since files are renamed and code moves between them."""
        return replace(self, path="")


def traces(source: Source, findings: Iterable[Finding], root: str) -> list[Trace]:
    """The traces of the findings in a file, one by one."""
    findings = list(findings)
    if not findings:
        return []
    path = relative(source.path, root)
    statements, scopes = _statements(source), _scopes(source.tree)
    return [
        Trace(
            path,
            finding.code,
            _scope(scopes, finding.span.line),
            _text(source, statements, finding.span.line),
        )
        for finding in findings
    ]


def relative(path: str, root: str) -> str:
    """A path as traces have it."""
    return PurePath(os.path.relpath(path, root)).as_posix()


def _text(source: Source, statements: dict[int, str], line: int) -> str:
    text = statements.get(line)
    if text is None:
        text = source.lines[line - 1].strip() if line <= len(source.lines) else ""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]} {hashlib.sha256(_essence(text).encode()).hexdigest()[:_HASH]}"


def _essence(text: str) -> str:
    if len(text) > _LONGEST and text[_LONGEST : _LONGEST + 1] == " " and len(text) == _LONGEST + 1 + _HASH:
        return text[-_HASH:]
    return text.translate(_UNESSENTIAL)


def _statements(source: Source) -> dict[int, str]:
    """The statement, or the head of one that holds others, on each line."""
    found: dict[int, str] = {}
    pieces: list[str] = []
    first = 0
    try:
        for kind, text, line, end in _pieces(source):
            if kind == token.NEWLINE:
                found.update(dict.fromkeys(range(first or line, line + 1), _joined(pieces)))
                pieces, first = [], 0
            elif kind not in _NO_TEXT:
                pieces.append(text)
                first = first or line
                found.pop(end, None)
    except (tokenize.TokenError, SyntaxError):
        pass  # what was read so far is known; a line is known by itself otherwise
    return found


def _pieces(source: Source) -> Iterator[tuple[int, str, int, int]]:
    """The tokens with their first and last lines; a string with fields is one, as before Python 3.12."""
    lines = io.StringIO(source.text, newline=None)
    depth, start = 0, (0, 0)
    physical = list(io.StringIO(source.text, newline=None))
    for each in tokenize.generate_tokens(lines.readline):
        if each.type in _OPENING:
            start = each.start if depth == 0 else start
            depth += 1
        elif each.type in _CLOSING:
            depth -= 1
            if depth == 0:
                yield token.STRING, _between(physical, start, each.end), start[0], each.end[0]
        elif depth == 0:
            yield each.type, each.string, each.start[0], each.end[0]


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    return "".join([lines[start[0] - 1][start[1] :], *middle, lines[end[0] - 1][: end[1]]])


def _joined(pieces: Sequence[str]) -> str:
    """One line of a statement's tokens that depends on nothing else: no layout, and no comma before a bracket."""
    kept = [
        piece
        for piece, after in zip(pieces, [*pieces[1:], ""], strict=True)
        if not (piece == "," and after in ")]}" and after)
    ]
    line = ""
    for piece in kept:
        tight = not line or piece[0] in _TIGHT_BEFORE or line[-1] in _TIGHT_AFTER
        line += piece if tight else f" {piece}"
    return line


def _scopes(tree: ast.Module) -> list[tuple[int, int, str]]:
    """Functions and classes with their lines, outer ones first."""
    found: list[tuple[int, int, str]] = []
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, name = pending.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{name}.{child.name}" if name else child.name
                found.append((child.lineno, child.end_lineno or child.lineno, inner))
            if not isinstance(child, ast.expr):
                pending.append((child, inner))
    return found


def _scope(scopes: Sequence[tuple[int, int, str]], line: int) -> str:
    holding = [(first, name) for first, last, name in scopes if first <= line <= last]
    return max(holding, default=(0, ""))[1]
