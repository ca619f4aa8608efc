"""What is to happen to statements: what goes before and after them, which ones go."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import libcst as cst

from devfix.findings import (
    DeleteStatement,
    InsertAfter,
    InsertAtBodyStart,
    InsertBefore,
    MoveStatement,
    Span,
)
from devfix.rewrite.error import EditError
from devfix.rewrite.outline import Block, Outline, Statement
from devfix.rewrite.snippet import Snippet

#: What can be put before or after a statement: new code, or a statement from elsewhere.
Item = Snippet | Statement

#: How a definition begins, which stands apart from another one.
_DEFINITIONS = ("@", "def ", "class ")
StatementEdit = InsertBefore | InsertAfter | InsertAtBodyStart | DeleteStatement | MoveStatement


@dataclass(frozen=True, eq=False)
class Section:
    """Code between two rows of the module.

    Blank lines set it off from another ``group``; from what is there already when ``before`` and
    ``after`` say so.
    """

    snippet: Snippet
    group: str
    before: bool
    after: bool


@dataclass
class Plan:
    """The changes to the statements of one outline."""

    outline: Outline
    before: dict[Statement, list[Item]] = field(default_factory=lambda: defaultdict(list))
    after: dict[Statement, list[Item]] = field(default_factory=lambda: defaultdict(list))
    tops: dict[Block, list[Item]] = field(default_factory=lambda: defaultdict(list))
    sections: dict[int, list[Section]] = field(default_factory=lambda: defaultdict(list))
    deleted: set[Statement] = field(default_factory=set)
    moved: set[Statement] = field(default_factory=set)

    def add(self, edit: StatementEdit) -> None:
        """Take one edit into the plan."""
        match edit:
            case InsertBefore(span, code):
                self.before[self.statement(span)] += _items(code)
            case InsertAfter(span, code):
                above = self.statement(span)
                apart = isinstance(above.node, cst.FunctionDef) and code.startswith(_DEFINITIONS)
                self.after[above] += [Snippet(code, apart=True)] if apart else _items(code)
            case InsertAtBodyStart(span, code):
                self.tops[self.body(span)] += _items(code)
            case DeleteStatement(span):
                self.delete(self.statement(span))
            case MoveStatement():
                self._move(edit)

    def delete(self, statement: Statement) -> None:
        """Take a statement away; raises EditError where another edit moves it."""
        if statement in self.moved:
            raise EditError(f"The statement in {self._place(statement)} is moved and deleted.")
        self.deleted.add(statement)

    def statement(self, span: Span) -> Statement:
        """The statement at ``span``; raises EditError where there is none."""
        start, end = self.outline.tree.lines.region(span)
        found = self.outline.by_start.get(start)
        if found and (found.row.is_compound or self._ends_at(found, end)):
            return found
        raise EditError(f"There is no statement at line {span.line}, column {span.column}.")

    def body(self, span: Span) -> Block:
        """The body of the compound statement (or of the `elif`, or `except`) at ``span``; raises EditError where there is none."""
        start, _ = self.outline.tree.lines.region(span)
        if found := self.outline.by_owner.get(start):
            return found
        raise EditError(f"No statement with a body is at line {span.line}, column {span.column}.")

    def is_gone(self, statement: Statement) -> bool:
        """Whether a statement leaves its place."""
        return statement in self.deleted or statement in self.moved

    def needs_pass(self, block: Block) -> bool:
        """Whether a body has lost all it had and got nothing."""
        statements = [statement for row in block.rows for statement in row.statements]
        if block.is_module or not all(map(self.is_gone, statements)):
            return False
        stay = [statement for statement in statements if statement in self.deleted]
        items = [*self.tops.get(block, ())]
        for statement in stay:
            items += [*self.before.get(statement, ()), *self.after.get(statement, ())]
        return not any(isinstance(item, Statement) or item.has_statements for item in items)

    def _move(self, edit: MoveStatement) -> None:
        statement = self.statement(edit.span)
        target = edit.after or edit.before
        if target is None or (edit.after and edit.before):
            raise EditError("A statement moves after another or before it: name exactly one.")
        if statement in self.moved or statement in self.deleted:
            raise EditError(f"The statement in {self._place(statement)} has two places to go.")
        places = self.after if edit.after else self.before
        places[self.statement(target)].append(statement)
        self.moved.add(statement)

    def _place(self, statement: Statement) -> str:
        return f"line {self.outline.tree.lines.line_of(statement.start)}"

    def _ends_at(self, statement: Statement, end: int) -> bool:
        """Whether a small statement, or the expression that it is, ends at ``end``."""
        node = statement.node
        inner = self.outline.tree.end(node.value) if isinstance(node, cst.Expr) else -1
        return end in (statement.end, inner)


def _items(code: str) -> list[Item]:
    snippet = Snippet(code)
    return [snippet] if snippet.lines else []
