"""Writes the new text: every row copied, moved or left out, with what goes before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devfix.rewrite.error import EditError
from devfix.rewrite.lines import blank_lines_at_end, blank_lines_at_start
from devfix.rewrite.outline import Block, Row, Statement
from devfix.rewrite.patch import NO_SHIFT, Copier, Shift
from devfix.rewrite.plan import Item, Plan
from devfix.rewrite.snippet import Style

#: What stands apart from the code above it by two blank lines.
_DEFINITIONS = ("def ", "class ", "async def ", "@")


class Renderer:
    """Applies a plan and the patches of a copier to the text they were made for."""

    def __init__(self, plan: Plan, copier: Copier, newline: str) -> None:
        self._plan = plan
        self._copier = copier
        self._newline = newline
        self._written: set[int] = set()

    def text(self) -> str:
        """The new text; an error when some edit finds no place in it."""
        text = self._block(self._plan.outline.module, NO_SHIFT)
        self._copier.check()
        self._check_items()
        return text

    def _block(self, block: Block, shift: Shift) -> str:
        parts: list[str] = []
        floor = block.start
        vanished = False
        top = self._top_row(block)
        for number, row in enumerate(block.rows):
            gap = self._copier.copy(floor, row.start, shift)
            parts.append(_closed_up(parts, gap) if vanished else gap)
            if number == 0 and block.is_module:
                parts.append(self._sections(parts, 0, row.start))
            if row is top:
                parts.append(self._items(self._plan.tops.get(block, ()), row, shift))
            text = self._row(row, shift)
            parts.append(text)
            vanished = not text
            if block.is_module:
                parts.append(self._sections(parts, number + 1, row.end))
            floor = row.end
        parts.append(self._end_of_block(block, parts, shift, vanished=vanished))
        return "".join(parts)

    def _end_of_block(self, block: Block, parts: list[str], shift: Shift, *, vanished: bool) -> str:
        """What follows the last row: comments that still belong to the block, code put there."""
        after = ""
        if block.rows and self._top_row(block) is None:
            after = self._items(self._plan.tops.get(block, ()), block.rows[-1], shift)
        floor = block.rows[-1].end if block.rows else block.start
        gap = self._copier.copy(floor, block.end, shift)
        if not block.rows:
            return gap + self._sections([gap], 0, block.end)
        if vanished and not after and not gap:
            text = "".join(parts)
            blanks = blank_lines_at_end(text)
            parts[:] = [text[: blanks[-1]] if blanks else text]
        return after + (_closed_up(parts, gap) if vanished else gap)

    def _top_row(self, block: Block) -> Row | None:
        """The row in front of which the top of the body is."""
        if not block.docstring(self._copier.tree):
            return block.rows[0] if block.rows else None
        return block.rows[1] if len(block.rows) > 1 else None

    def _sections(self, parts: Sequence[str], number: int, at: int) -> str:
        """The code put after the first ``number`` rows of the module."""
        sections = self._plan.sections.get(number, ())
        style = self._style(self._plan.outline.module)
        above = "".join(parts) if sections else ""
        text = ""
        group: str | None = None
        for section in sections:
            starts = group is None and section.before and above and not blank_lines_at_end(above)
            if starts or group not in (None, section.group):
                text += self._newline
            text += section.snippet.layout("", style)
            group = section.group
        rest = self._copier.tree.text[at:]
        if sections and sections[-1].after and rest and not blank_lines_at_start(rest):
            text += self._newline * (2 if rest.startswith(_DEFINITIONS) else 1)
        return text

    def _row(self, row: Row, shift: Shift) -> str:
        if row.is_compound:
            return self._compound_row(row, shift)
        return self._comments(row, shift) + self._simple(row, shift)

    def _comments(self, row: Row, shift: Shift) -> str:
        """What goes before the first statement, and the row's own comments."""
        first = row.statements[0]
        if first in self._plan.moved and len(row.statements) == 1:
            return ""
        comments = self._copier.copy(row.start, row.body, shift)
        before = () if first in self._plan.moved else self._plan.before.get(first, ())
        items = self._items(before, row, shift)
        return comments + items if first in self._plan.deleted else items + comments

    def _compound_row(self, row: Row, shift: Shift) -> str:
        statement = row.statements[0]
        if statement in self._plan.moved:
            return self._pass(row, shift)
        text = self._comments(row, shift)
        if statement not in self._plan.deleted:
            text += self._compound(row, shift)
        text += self._items(self._plan.after.get(statement, ()), row, shift)
        return text + self._pass(row, shift)

    def _compound(self, row: Row, shift: Shift) -> str:
        parts: list[str] = []
        at = row.body
        for block in row.blocks:
            parts.append(self._copier.copy(at, block.start, shift))
            parts.append(self._inline(block, shift) if block.inline else self._block(block, shift))
            at = block.end
        parts.append(self._copier.copy(at, row.end, shift))
        return "".join(parts)

    def _pass(self, row: Row, shift: Shift) -> str:
        """A `pass` where the first row of an emptied body was."""
        if row is not row.block.rows[0] or not self._plan.needs_pass(row.block):
            return ""
        return shift.indent(row.block.indent) + "pass" + self._newline

    def _simple(self, row: Row, shift: Shift) -> str:
        """The lines of a row that has its own, but for what goes before its first statement."""
        return self._lay(row, self._chunks(row, shift), shift) + self._pass(row, shift)

    def _inline(self, block: Block, shift: Shift) -> str:
        """A body on the line of its header; on lines of its own when something is put into it."""
        row = block.rows[0]
        chunks = self._chunks(row, shift)
        if any(isinstance(chunk, str) for chunk in chunks):
            return self._newline + self._lay(row, chunks, shift) + self._pass(row, shift)
        run = [statement for statement in row.statements if not self._plan.is_gone(statement)]
        space = self._copier.tree.text[block.start : row.statements[0].start]
        return space + (self._run(row, run, shift) or "pass") + self._tail(row, shift)

    def _chunks(self, row: Row, shift: Shift) -> list[str | list[Statement]]:
        """What the row falls into: code put between its statements, runs of those that stay."""
        chunks: list[str | list[Statement]] = []
        tops = self._items(self._inline_tops(row), row, shift)
        after_first = row.block.docstring(self._copier.tree) is row
        if not after_first:
            _add(chunks, tops)
        for statement in row.statements:
            stays = statement not in self._plan.moved
            if stays and (statement.index or row.block.inline):
                _add(chunks, self._items(self._plan.before.get(statement, ()), row, shift))
            if not self._plan.is_gone(statement):
                _add(chunks, statement)
            if after_first and statement.index == 0:
                _add(chunks, tops)
            if stays:
                _add(chunks, self._items(self._plan.after.get(statement, ()), row, shift))
        return chunks

    def _inline_tops(self, row: Row) -> Iterable[Item]:
        return self._plan.tops.get(row.block, ()) if row.block.inline else ()

    def _lay(self, row: Row, chunks: list[str | list[Statement]], shift: Shift) -> str:
        """The chunks of a row, each on lines of its own."""
        runs = [number for number, chunk in enumerate(chunks) if isinstance(chunk, list)]
        text = ""
        for number, chunk in enumerate(chunks):
            if isinstance(chunk, str):
                text += chunk
                continue
            text += self._indent_of_run(row, chunk, shift) + self._run(row, chunk, shift)
            text += self._tail(row, shift) if number == runs[-1] else self._newline
        return text

    def _indent_of_run(self, row: Row, run: list[Statement], shift: Shift) -> str:
        if run[0].index == 0 and not row.block.inline:
            return shift.indent(self._copier.tree.text[row.body : run[0].start])
        return shift.indent(row.block.indent)

    def _run(self, row: Row, run: list[Statement], shift: Shift) -> str:
        """Statements on one line, with the separators they had."""
        text = ""
        for number, statement in enumerate(run):
            text += self._copier.copy(statement.start, statement.end, shift)
            if number + 1 < len(run):
                following = row.statements[statement.index + 1]
                text += self._copier.tree.text[statement.end : following.start]
        return text

    def _tail(self, row: Row, shift: Shift) -> str:
        return self._copier.copy(row.statements[-1].end, row.end, shift)

    def _items(self, items: Iterable[Item], row: Row, shift: Shift) -> str:
        indent = shift.indent(row.block.indent)
        return "".join(self._item(item, indent, row.block) for item in items)

    def _item(self, item: Item, indent: str, block: Block) -> str:
        self._written.add(id(item))
        if isinstance(item, Statement):
            return self._moved(item, indent)
        return item.layout(indent, self._style(block))

    def _moved(self, statement: Statement, indent: str) -> str:
        """A statement with all that goes before and after it, at another place."""
        row = statement.row
        shift = Shift(row.block.indent, indent)
        before = self._items(self._plan.before.get(statement, ()), row, shift)
        after = self._items(self._plan.after.get(statement, ()), row, shift)
        return before + self._moved_alone(statement, shift) + after

    def _moved_alone(self, statement: Statement, shift: Shift) -> str:
        row = statement.row
        if row.is_compound:
            return self._copier.copy(row.start, row.body, shift) + self._compound(row, shift)
        if len(row.statements) == 1 and not row.block.inline:
            return self._copier.copy(row.start, row.end, shift)
        text = self._copier.copy(statement.start, statement.end, shift)
        return shift.new + text + self._newline

    def _style(self, block: Block) -> Style:
        return Style(self._newline, self._plan.outline.unit(block))

    def _check_items(self) -> None:
        plan = self._plan
        placed = [plan.before, plan.after, plan.tops]
        for items in (items for place in placed for items in place.values()):  # type: ignore[attr-defined]
            for item in items:
                if id(item) not in self._written:
                    raise EditError("An edit puts code beside a statement that another takes away.")


def _add(chunks: list[str | list[Statement]], chunk: str | Statement) -> None:
    if isinstance(chunk, Statement):
        if chunks and isinstance(chunks[-1], list):
            chunks[-1].append(chunk)
        else:
            chunks.append([chunk])
    elif chunk:
        chunks.append(chunk)


def _closed_up(parts: list[str], gap: str) -> str:
    """``gap`` without the blank lines that the text before it has already."""
    text = "".join(parts)
    ends = blank_lines_at_start(gap)
    spare = len(ends) if not text else min(len(ends), len(blank_lines_at_end(text)))
    return gap[ends[spare - 1] :] if spare else gap
