"""The skeleton of a text: what no edit touches is left out, line for line, so that LibCST has less to read.

LibCST takes ten times as long over a line as all else that a fix needs. Statements in functions and classes
that no edit is about are copied as they are, whatever they say: a string that fills the same lines stands in
for them. All that is left stands where it stood.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devfix.findings import Span
from devfix.rewrite.lines import NEWLINE, Lines

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_QUOTES = "'''"


def skeleton(tree: ast.Module, lines: Lines, touched: Sequence[Span]) -> str:
    """A text without those statements inside definitions that are on none of the lines of some spans.

    Statements of the module itself stay: they tell what it imports, and where code goes behind the imports.
    """
    text = lines.text
    parts: list[str] = []
    at = 0
    for start, end in _Untouched(lines, touched).of_module(tree):
        parts += (text[at:start], _filling(text[start:end], end - lines.start_of_line(end)))
        at = end
    return "".join([*parts, text[at:]])


def _filling(text: str, column: int) -> str:
    """A string on the lines of ``text`` that ends at a column; the text itself where it is too short for one."""
    newlines = NEWLINE.findall(text)
    room = (column if newlines else len(text) - len(_QUOTES)) - len(_QUOTES)
    return "".join([_QUOTES, *newlines, " " * room, _QUOTES]) if room >= 0 else text


class _Untouched:
    """Finds statements side by side that no edit touches."""

    def __init__(self, lines: Lines, touched: Sequence[Span]) -> None:
        self._lines = lines
        self._touched = sorted((span.line, span.end_line) for span in touched)

    def of_module(self, tree: ast.Module) -> Iterator[tuple[int, int]]:
        """The regions of what is untouched in definitions, in the order of the text."""
        for node in tree.body:
            if isinstance(node, _DEFINITIONS):
                yield from self._in_block(node.body)

    def _in_block(self, block: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
        run: list[ast.stmt] = []
        for node in block:
            if not self._is_touched(_first_line(node), _last_line(node)):
                run.append(node)
                continue
            yield from self._region(run)
            run = []
            for inner in self._blocks(node):
                yield from self._in_block(inner)
        yield from self._region(run)

    def _blocks(self, node: ast.stmt) -> Iterator[list[ast.stmt]]:
        """The blocks of a statement, in the order of the text."""
        parts = (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ()))
        yield from (part.body for part in parts if hasattr(part, "body"))
        following: list[ast.stmt] = getattr(node, "orelse", [])
        if len(following) == 1 and self._lines.text.startswith("elif", self._start(following[0])):
            yield from self._blocks(following[0])  # no statement of its own, but a part of this one
        else:
            yield following
            yield getattr(node, "finalbody", [])

    def _is_touched(self, first: int, last: int) -> bool:
        return any(begin <= last and first <= end for begin, end in self._touched)

    def _region(self, run: Sequence[ast.stmt]) -> Iterator[tuple[int, int]]:
        """Where some statements are; nowhere if other code is on the line that they begin in."""
        if not run:
            return
        number, last = _first_line(run[0]), run[-1]
        start = self._lines.offset(number, 0)
        start += len(self._lines.indent_of_line(start))
        above = self._line(number - 1).rstrip("\r\n")
        if start == self._start(run[0]) and not above.endswith("\\"):
            yield start, self._offset(_last_line(last), last.end_col_offset or 0)

    def _start(self, node: ast.stmt) -> int:
        decorators = getattr(node, "decorator_list", ())
        if not decorators:
            return self._offset(node.lineno, node.col_offset)
        first = min(decorators, key=lambda each: each.lineno)
        return self._lines.text.rfind("@", 0, self._offset(first.lineno, first.col_offset))

    def _offset(self, line: int, column: int) -> int:
        """The offset of a column of bytes."""
        text = self._line(line)
        return self._lines.offset(line, column if text.isascii() else len(text.encode()[:column].decode()))

    def _line(self, number: int) -> str:
        starts = [*self._lines.starts[max(number - 1, 0) : number + 1], len(self._lines.text)]
        return self._lines.text[starts[0] : starts[1]] if number else ""


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
