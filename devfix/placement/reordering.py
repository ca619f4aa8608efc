"""Reordering: ways to move a model before its optimizer gets state, best first."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    InsertAfter,
    Mismatch,
    MoveStatement,
    Origin,
    WrapExpression,
)
from devfix.placement import device_expression
from devfix.placement.dependence import reads, writes
from devfix.placement.device_expression import Place

Chain = tuple[Origin, ...]
#: For a function that builds a model and is told nothing about devices.
_CHOICE = '"cuda" if torch.cuda.is_available() else "cpu"'


@dataclass(frozen=True, slots=True)
class _Order:
    """Two statements of one block: ``early`` stands before ``late`` and should not."""

    path: str
    outline: Outline
    block: list[ast.stmt]
    early: ast.stmt
    late: ast.stmt

    @property
    def between(self) -> list[ast.stmt]:
        """What stands between the two."""
        return self.block[self.block.index(self.early) + 1 : self.block.index(self.late)]


class Reordering:
    """Builds fixes for an optimizer whose state is where its parameters were before they moved.

    The chains of a mismatch name the statements that ran, outermost function first, when the
    optimizer was built, when it got its state and when the parameters were moved.
    """

    def __init__(self, facts: Facts, mismatch: Mismatch) -> None:
        self.facts = facts
        state, params = mismatch.operands
        self.state, self.params = state, params
        self.eager = mismatch.get("cause") == "constructor"
        self.model = params.text
        self.scope = mismatch.get("scope") or ""

    def fixes(self) -> list[Fix]:
        """All fixes, the preferred one first."""
        title = "move the model before its optimizer gets state"
        found: dict[tuple[FileEdit, ...], str] = {}
        if len(self.state.roots) >= 2 and self.params.roots:
            found = {edits: title for edits in self._candidates() if edits}
        # Where a step made the state, the model was meant to be on the CPU until then.
        again = self._loaded_again()
        if again:
            found.setdefault(again, "let the optimizer's state follow the model")
        return [Fix(title, edits, Applicability.SAFE) for edits, title in found.items()]

    def _loaded_again(self) -> tuple[FileEdit, ...]:
        """After the move the optimizer loads its own state, which brings it to where its parameters are."""
        moved = self.params.roots[0][-1] if self.params.roots and self.params.roots[0] else None
        name = self.state.text.removesuffix(".step()")
        if moved is None or not self.state.text.endswith(".step()") or not _is_dotted(name):
            return ()
        used = self.scope.rpartition(".")[0] if name.startswith("self.") else self.scope
        known = moved.scope.rpartition(".")[0] if name.startswith("self.") else moved.scope
        statement = self.facts.outline(moved.path).statement_at(moved.span)
        if moved.path != self.state.path or used != known or statement is None or not _is_movable(statement):
            return ()
        edit = InsertAfter(moved.span, f"{name}.load_state_dict({name}.state_dict())")
        return (FileEdit(moved.path, edit),)

    def _candidates(self) -> Iterator[tuple[FileEdit, ...]]:
        moved = self.params.roots[0]
        built, filled = self.state.roots[:2]
        orders = [self._order(built, moved), None if self.eager else self._order(filled, moved)]
        for order in orders:
            yield self._move_up(order)
        yield self._move_down(orders[0] if self.eager else orders[1])
        yield self._at_construction()

    def _order(self, early: Chain, late: Chain) -> _Order | None:
        """The statements at which two chains part, lifted to one block."""
        for one, other in zip(early, late, strict=False):
            if one == other:
                continue
            if (one.path, one.scope) != (other.path, other.scope):
                return None
            outline = self.facts.outline(one.path)
            first, second = outline.statement_at(one.span), outline.statement_at(other.span)
            if first is None or second is None:
                return None
            return _in_one_block(one.path, outline, first, second)
        return None

    def _move_up(self, order: _Order | None) -> tuple[FileEdit, ...]:
        """The statement that moves the model goes before the one that builds or loads."""
        if order is None or not _can_pass(order.late, [order.early, *order.between]):
            return ()
        spans = order.outline.source.span
        return (FileEdit(order.path, MoveStatement(spans(order.late), before=spans(order.early))),)

    def _move_down(self, order: _Order | None) -> tuple[FileEdit, ...]:
        """The statement that builds or loads goes after the one that moves the model."""
        if order is None or not _is_movable(order.early):
            return ()
        made, needed = writes([order.early]), reads([order.early])
        if made & reads([*order.between, order.late]) or needed & writes(order.between):
            return ()
        spans = order.outline.source.span
        return (FileEdit(order.path, MoveStatement(spans(order.early), after=spans(order.late))),)

    def _at_construction(self) -> tuple[FileEdit, ...]:
        """The model is moved where it is made as well; moving it again does no harm."""
        life = self.params.roots[-1]
        if not life or life[0].kind != "module":
            return ()
        made = life[0]
        outline = self.facts.outline(made.path)
        node = outline.expression_at(made.span)
        if node is None:
            return ()
        place = Place(made.path, outline, node)
        found = device_expression.find(self.facts, place, [])
        code = found.code if found is not None else _CHOICE
        if found is None and not _imports_torch(outline):
            return ()
        edit = FileEdit(made.path, WrapExpression(made.span, "", f".to({code})"))
        return (*(found.edits if found is not None else ()), edit)


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _imports_torch(outline: Outline) -> bool:
    imports = (node for node in outline.source.tree.body if isinstance(node, ast.Import))
    return any(alias.name == "torch" and not alias.asname for node in imports for alias in node.names)


def _in_one_block(path: str, outline: Outline, first: ast.stmt, second: ast.stmt) -> _Order | None:
    """The innermost block that holds both statements, in this order, or what is around them."""
    around = {id(s): s for s in _statements_around(outline, first)}
    for late in _statements_around(outline, second):
        block = outline.block_of(late)
        early = next((s for s in block if id(s) in around), None)
        if early is None:
            continue
        ordered = early is not late and block.index(early) < block.index(late)
        return _Order(path, outline, block, early, late) if ordered else None
    return None


def _statements_around(outline: Outline, statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statement and those around it, as far as its function."""
    current: ast.AST | None = statement
    while current is not None and not isinstance(
        current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    ):
        if isinstance(current, ast.stmt):
            yield current
        current = outline.parents.get(current)


def _is_movable(statement: ast.stmt) -> bool:
    """Whether a statement may change its place at all: no loop, no block that guards others."""
    if isinstance(statement, ast.If):
        return not statement.orelse and all(_is_movable(inner) for inner in statement.body)
    return isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr))


def _can_pass(statement: ast.stmt, others: Sequence[ast.stmt]) -> bool:
    """Whether a statement still finds everything it needs when it runs before the others."""
    if not _is_movable(statement):
        return False
    needed = reads([statement])
    return not needed & writes(others) and not _may_set_attributes(needed, others)


def _may_set_attributes(needed: frozenset[str], others: Sequence[ast.stmt]) -> bool:
    """Whether a bare method call (``self.setup()``) could set an attribute that is needed."""
    roots = {name.partition(".")[0] for name in needed if "." in name} & {"self", "cls"}
    calls = (node for other in others for node in ast.walk(other) if isinstance(node, ast.Call))
    return any(_receiver(call.func) in roots and not _restores(call.func) for call in calls)


def _receiver(called: ast.expr) -> str | None:
    """The name of the object whose method is called directly."""
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return called.value.id
    return None


def _restores(called: ast.expr) -> bool:
    """Methods that bring state back do not decide about devices."""
    return isinstance(called, ast.Attribute) and called.attr.startswith(("load", "restore", "resume"))
