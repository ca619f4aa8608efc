"""The statements of a text: which blocks it has, which rows a block has, what stands in a row.

A row is what starts on a line of its own: simple statements joined by semicolons, or one compound
statement with everything under it. Rows and the gaps between them cover a block without overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from devfix.rewrite.error import EditError
from devfix.rewrite.lines import indent_of
from devfix.rewrite.tree import Tree, children

_CLAUSES = (
    cst.Else,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.Finally,
    cst.If,
    cst.MatchCase,
)
_DECORATED = (cst.FunctionDef, cst.ClassDef)


@dataclass(eq=False)
class Statement:
    """One statement, small or compound; ``start`` is where ``ast`` sees it start."""

    node: cst.CSTNode
    start: int
    end: int
    row: Row
    index: int


@dataclass(eq=False)
class Row:
    """The statements of one line, or one compound statement.

    ``start`` is that of the comments directly above, ``body`` that of the first line of code
    (a decorator is code), ``end`` lies after the last newline and the comments indented below.
    """

    block: Block
    start: int
    body: int
    end: int
    statements: list[Statement] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def is_compound(self) -> bool:
        """Whether the row is one compound statement."""
        return bool(self.blocks)

    def holds(self, start: int, end: int) -> bool:
        """Whether the region lies in the code of the row."""
        return self.body <= start and end <= self.end


@dataclass(eq=False)
class Block:
    """A module or the body of a compound statement.

    ``outer`` is the indentation of the line that opens the block. An ``inline`` block shares that
    line; its ``indent`` is the one it would have on lines of its own.
    """

    owner: cst.CSTNode
    indent: str
    outer: str
    start: int
    end: int
    inline: bool = False
    rows: list[Row] = field(default_factory=list)

    @property
    def is_module(self) -> bool:
        """Whether the block is the whole text."""
        return isinstance(self.owner, cst.Module)

    def docstring(self, tree: Tree) -> Row | None:
        """The row that holds the docstring, if the block has one."""
        if not isinstance(self.owner, (cst.Module, *_DECORATED)) or not self.rows:
            return None
        node = self.rows[0].statements[0].node
        if isinstance(node, cst.Expr) and isinstance(node.value, (cst.SimpleString, cst.ConcatenatedString)):
            return None if "b" in tree.source(node)[:2].lower() else self.rows[0]
        return None


class Outline:
    """The statements of a tree, found by where they start."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.by_start: dict[int, Statement] = {}
        self.by_owner: dict[int, Block] = {}
        self.module = self._module()

    def rows(self) -> Iterator[Row]:
        """Every row, outer before inner, in the order of the text."""
        pending = list(reversed(self.module.rows))
        while pending:
            row = pending.pop()
            yield row
            pending.extend(row for block in reversed(row.blocks) for row in reversed(block.rows))

    def row_at(self, start: int, end: int) -> Row | None:
        """The innermost row whose code holds the region."""
        found: Row | None = None
        rows = self.module.rows
        while row := next((row for row in rows if row.holds(start, end)), None):
            found = row
            rows = [row for block in row.blocks for row in block.rows]
        return found

    def _module(self) -> Block:
        module = self.tree.module
        block = Block(module, indent="", outer="", start=0, end=len(self.tree.text))
        self._fill(block, list(module.body))
        return block

    def _fill(self, block: Block, nodes: Sequence[cst.BaseStatement]) -> None:
        floor = block.start
        for node in nodes:
            row = self._row(block, node, floor)
            block.rows.append(row)
            floor = row.end

    def _row(self, block: Block, node: cst.CSTNode, floor: int) -> Row:
        lines = self.tree.lines
        first = node.decorators[0] if isinstance(node, _DECORATED) and node.decorators else node
        body = lines.start_of_line(self.tree.start(first))
        start = self._own_comments(block, body, floor)
        row = Row(block, start, body, end=body)
        if isinstance(node, cst.SimpleStatementLine):
            self._add_small(row, node)
        else:
            self._add_compound(row, node)
        return row

    def _add_small(self, row: Row, node: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> None:
        for small in node.body:
            self._add(row, small)
        row.end = self.tree.end(node.trailing_whitespace)

    def _add_compound(self, row: Row, node: cst.CSTNode) -> None:
        statement = self._add(row, node)
        self._add_blocks(row, node)
        row.end = max(block.end for block in row.blocks)
        if isinstance(node, cst.Match) and node.footer:
            row.end = max(row.end, self.tree.end(node.footer[-1]))
        statement.end = self.tree.end(node)

    def _add(self, row: Row, node: cst.CSTNode) -> Statement:
        start = self.tree.start(node)
        statement = Statement(node, start, self.tree.end(node), row, len(row.statements))
        row.statements.append(statement)
        self.by_start[start] = statement
        if isinstance(node, cst.Expr):
            self.by_start.setdefault(self.tree.start(node.value), statement)
        return statement

    def _add_blocks(self, row: Row, owner: cst.CSTNode) -> None:
        """Add the blocks of a compound statement and of its clauses, in the order of the text."""
        for name, child in children(owner):
            if isinstance(child, (cst.IndentedBlock, cst.SimpleStatementSuite)):
                block = self._block(row, owner, child)
                row.blocks.append(block)
                self.by_owner[self.tree.start(owner)] = block
            elif isinstance(child, _CLAUSES) and name != "body":
                self._add_blocks(row, child)
        row.blocks.sort(key=lambda block: block.start)

    def _block(
        self, row: Row, owner: cst.CSTNode, node: cst.IndentedBlock | cst.SimpleStatementSuite
    ) -> Block:
        outer = self.tree.lines.indent_of_line(self.tree.start(owner))
        if isinstance(node, cst.SimpleStatementSuite):
            return self._inline(row, owner, node, outer)
        start = self.tree.end(node.header)
        first = self.tree.lines.start_of_next_line(start - 1)
        block = Block(owner, outer, outer, start=first, end=first)
        self._fill(block, node.body)
        block.indent = indent_of(self.tree.text, block.rows[0].body)
        block.end = block.rows[-1].end
        if node.footer:
            block.end = max(block.end, self.tree.end(node.footer[-1]))
        return block

    def _inline(self, row: Row, owner: cst.CSTNode, node: cst.SimpleStatementSuite, outer: str) -> Block:
        first = self.tree.start(node.body[0])
        start = first - len(self._leading(node))
        unit = self._unit(row.block)
        block = Block(owner, outer + unit, outer, start, end=start, inline=True)
        inner = Row(block, first, first, end=first)
        self._add_small(inner, node)
        block.rows.append(inner)
        block.end = inner.end
        return block

    def _leading(self, node: cst.SimpleStatementSuite) -> str:
        space = node.leading_whitespace
        if not isinstance(space, cst.SimpleWhitespace):  # pragma: no cover - the parser makes none
            raise EditError("A one-line body starts in a way that LibCST does not tell.")
        return space.value

    def _unit(self, block: Block) -> str:
        """One level of indentation, as the surrounding block has it."""
        inner = block.indent.removeprefix(block.outer)
        return inner if inner and not block.inline else self.tree.module.default_indent

    def unit(self, block: Block) -> str:
        """One level of indentation inside ``block``."""
        return self._unit(block)

    def _own_comments(self, block: Block, body: int, floor: int) -> int:
        """Where the comments directly above a row start; those that open a file are the file's."""
        text, lines = self.tree.text, self.tree.lines
        indent = indent_of(text, body)
        start = body
        while start > floor:
            above = lines.start_of_line(start - 1)
            if above < floor or not text.startswith(indent + "#", above):
                break
            start = above
        return body if start == 0 and block.is_module else start
