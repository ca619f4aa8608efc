"""Script: one file's text and tree, and edits between positions of the tree that keep the formatting."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, order=True)
class TextEdit:
    """Put ``new`` in place of the characters from ``start`` to ``end``."""

    start: int
    end: int
    new: str = ""


@dataclass(frozen=True)
class Script:
    """The text of one file, read as Python."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def _lines(self) -> list[tuple[int, bytes]]:
        """Where each line begins, and the line in the encoding that ``ast`` counts columns in."""
        found, start = [], 0
        for line in self.text.splitlines(keepends=True) or [""]:
            found.append((start, line.encode()))
            start += len(line)
        return found

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def _offset(self, line: int, column: int) -> int:
        start, encoded = self._lines[line - 1]
        return start + len(encoded[:column].decode())

    def start(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> int:
        """Where the node begins in the text."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> int:
        """Where the node ends in the text."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """The text of the node."""
        return self.text[self.start(node) : self.end(node)]

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that this one is a part of."""
        return self._parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """What the node lies in, the nearest first."""
        while (above := self._parents.get(node)) is not None:
            yield above
            node = above

    def function_of(self, node: ast.AST) -> ast.FunctionDef | None:
        """The function that the node lies in."""
        return next((above for above in self.ancestors(node) if isinstance(above, ast.FunctionDef)), None)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds the node, or the node itself."""
        found = node if isinstance(node, ast.stmt) else None
        return found or next(above for above in self.ancestors(node) if isinstance(above, ast.stmt))

    def calls(self) -> Iterator[ast.Call]:
        """Every call of the file, in the order of the text."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        yield from sorted(found, key=lambda call: (self.end(call), self.start(call)))

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which this one is."""
        above = self._parents[statement]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]

    def without_call(self, call: ast.Call) -> TextEdit:
        """``x.to(device)`` without ``.to(device)``."""
        assert isinstance(call.func, ast.Attribute)
        name = self.end(call.func) - len(call.func.attr)
        return TextEdit(self.text.rindex(".", self.end(call.func.value), name), self.end(call))

    def without_argument(self, argument: ast.expr | ast.keyword | ast.arg) -> TextEdit:
        """A call or a signature without one of its arguments, and without the comma beside it."""
        start, end = self.start(argument), self.end(argument)
        before = re.search(r",\s*$", self.text[:start])
        if before is not None:
            return TextEdit(before.start(), end)
        behind = re.match(r"\s*,[ \t]*(\n\s*)?", self.text[end:])
        return TextEdit(start, end + (behind.end() if behind else 0))

    def without_statement(self, statement: ast.stmt) -> TextEdit:
        """The text without the statement and its line; a block left empty gets ``pass``."""
        start, end = self.start(statement), self.end(statement)
        if self.block_of(statement) == [statement] or not self._has_its_own_line(statement):
            return TextEdit(start, end, "pass")
        line = self.text.rfind("\n", 0, start) + 1
        stop = self.text.find("\n", end)
        return TextEdit(line, len(self.text) if stop < 0 else stop + 1)

    def without_binding(self, statement: ast.Assign) -> TextEdit:
        """``x = y`` as the statement ``y``."""
        return TextEdit(self.start(statement), self.start(statement.value))

    def after_statement(self, statement: ast.stmt, code: str) -> TextEdit:
        """The text with a further statement on the line behind this one."""
        start = self.start(statement)
        indent = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        stop = self.text.find("\n", self.end(statement))
        stop = len(self.text) if stop < 0 else stop
        return TextEdit(stop, stop, f"\n{indent}{code}")

    def _has_its_own_line(self, statement: ast.stmt) -> bool:
        start, end = self.start(statement), self.end(statement)
        before = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        behind = self.text[end:].split("\n", 1)[0].strip()
        return not before.strip() and (not behind or behind.startswith("#"))


def edited(text: str, edits: Iterable[TextEdit]) -> str | None:
    """The text after all edits, or None when it is no Python any more or two edits overlap."""
    parts, position = [], 0
    for edit in sorted(set(edits)):
        if edit.start < position:
            return None
        parts += [text[position : edit.start], edit.new]
        position = edit.end
    new = "".join([*parts, text[position:]])
    try:
        ast.parse(new)
    except SyntaxError:
        return None
    return new
