"""The order of statements: which of two in one block may stand before the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, MoveStatement
from devfix.placement.text.dependence import reads, writes


@dataclass(frozen=True, slots=True)
class Order:
    """Two statements of one block: ``early`` stands before ``late`` and should not.

    ``unseen`` is what the late one reads in functions that it calls; ``alone`` tells that it does nothing
    but what has to come first.
    """

    outline: Outline
    block: list[ast.stmt]
    early: ast.stmt
    late: ast.stmt
    unseen: frozenset[str] = frozenset()
    alone: bool = True

    @property
    def between(self) -> list[ast.stmt]:
        """What stands between the two."""
        return self.block[self.block.index(self.early) + 1 : self.block.index(self.late)]

    def moved_up(self) -> tuple[FileEdit, ...]:
        """The late statement goes before the early one."""
        if not _can_pass(self.late, [self.early, *self.between], self.unseen):
            return ()
        spans = self.outline.source.span
        return (
            FileEdit(self.outline.source.path, MoveStatement(spans(self.late), before=spans(self.early))),
        )

    def moved_down(self) -> tuple[FileEdit, ...]:
        """The early statement goes after the late one."""
        if not is_movable(self.early):
            return ()
        made, needed = writes([self.early]), reads([self.early])
        if not self.alone and needed & reads([self.late]):
            return ()  # a loop that trains, say, has to find what the early one has loaded
        if made & (reads([*self.between, self.late]) | self.unseen) or needed & writes(self.between):
            return ()
        spans = self.outline.source.span
        return (FileEdit(self.outline.source.path, MoveStatement(spans(self.early), after=spans(self.late))),)


def between(outline: Outline, first: ast.stmt, second: ast.stmt) -> Order | None:
    """The innermost block that holds both statements, in this order, or what is around them."""
    around = {id(s): s for s in _statements_around(outline, first)}
    for late in _statements_around(outline, second):
        block = outline.block_of(late)
        early = next((s for s in block if id(s) in around), None)
        if early is None:
            continue
        ordered = early is not late and block.index(early) < block.index(late)
        return Order(outline, block, early, late) if ordered else None
    return None


def _statements_around(outline: Outline, statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statement and those around it, as far as its function."""
    for part in (statement, *outline.around(statement)):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        if isinstance(part, ast.stmt):
            yield part


def is_movable(statement: ast.stmt) -> bool:
    """Whether a statement may change its place at all: no loop, no block that guards others."""
    if isinstance(statement, ast.If):
        return not statement.orelse and all(is_movable(inner) for inner in statement.body)
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr))


def _can_pass(statement: ast.stmt, others: Sequence[ast.stmt], unseen: frozenset[str]) -> bool:
    """Whether a statement still finds everything it needs when it runs before the others."""
    if not is_movable(statement):
        return False
    needed = reads([statement]) | unseen
    return not needed & writes(others) and not _may_set_attributes(needed, others)


def _may_set_attributes(needed: frozenset[str], others: Sequence[ast.stmt]) -> bool:
    """Whether a bare method call (``self.setup()``) could set an attribute that is needed."""
    roots = {name.partition(".")[0] for name in needed if "." in name} & {"self", "cls"}
    calls = (node for other in others for node in in_rows(other) if isinstance(node, ast.Call))
    return any(_receiver(call.func) in roots and not _restores(call.func) for call in calls)


def _receiver(called: ast.expr) -> str | None:
    """The name of the object whose method is called directly."""
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return called.value.id
    return None


def _restores(called: ast.expr) -> bool:
    """Methods that bring state back do not decide about devices."""
    return isinstance(called, ast.Attribute) and called.attr.startswith(("load", "restore", "resume"))
