"""Reordering: ways to move a model before its optimizer gets state, best first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    InsertAfter,
    Mismatch,
    Origin,
    WrapExpression,
)
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import known_as
from devfix.placement.telling import told_function
from devfix.placement.text import statement_order
from devfix.placement.text.statement_order import Order, is_movable

Chain = tuple[Origin, ...]
#: For a function that builds a model and is told nothing about devices.
_CHOICE = '"cuda" if torch.cuda.is_available() else "cpu"'


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
            following = {again: "let the optimizer's state follow the model"}
            found = following | found if self._is_of_step() else found | following
        return [Fix(title, edits, self._applicability(edits)) for edits, title in found.items()]

    def _applicability(self, edits: tuple[FileEdit, ...]) -> Applicability:
        """The later move may be one that the user decides about, where the choice at the construction asks nobody."""
        chooses = any(isinstance(each.edit, WrapExpression) and _CHOICE in each.edit.suffix for each in edits)
        return Applicability.UNSAFE if chooses else Applicability.SAFE

    def _loaded_again(self) -> tuple[FileEdit, ...]:
        """After the move the optimizer loads its own state, which brings it to where its parameters are."""
        chain = self.params.roots[0] if self.params.roots else ()
        for moved in reversed(chain):
            statement = self.facts.outline(moved.path).statement_at(moved.span)
            if statement is None or not is_movable(statement):
                return ()
            beside = self._stepped_beside(moved) if moved is chain[-1] else None
            if name := beside or self._built_before(moved):
                edit = InsertAfter(moved.span, f"{name}.load_state_dict({name}.state_dict())")
                return (FileEdit(moved.path, edit),)
        return ()

    def _is_of_step(self) -> bool:
        """Whether a step, and nothing that was loaded, made the state."""
        filled = self.state.roots[1][-1] if len(self.state.roots) >= 2 and self.state.roots[1] else None
        statement = self.facts.outline(filled.path).statement_at(filled.span) if filled is not None else None
        calls = (node.func for node in in_rows(statement or ast.Pass()) if isinstance(node, ast.Call))
        return any(isinstance(called, ast.Attribute) and called.attr == "step" for called in calls)

    def _stepped_beside(self, moved: Origin) -> str | None:
        """The optimizer's name where it steps in the function, or the class, that moves its parameters."""
        name = self.state.text.removesuffix(".step()")
        if moved.path != self.state.path or not self.state.text.endswith(".step()") or not _is_dotted(name):
            return None
        used, known = self.scope, moved.scope
        if name.startswith("self."):
            used, known = used.rpartition(".")[0], known.rpartition(".")[0]
        return name if used == known else None

    def _built_before(self, moved: Origin) -> str | None:
        """The optimizer's name where it was built in the function that moves its parameters, or for it."""
        if not self.state.roots or self._is_wrapped(self.state.roots[0][-1]):
            return None
        return known_as.after(self.facts, self.state.roots[0], moved)

    def _is_wrapped(self, built: Origin) -> bool:
        """Whether the statement that built the optimizer made something else of it at once."""
        outline = self.facts.outline(built.path)
        statement = outline.statement_at(built.span)
        site = self.state.trail[0] if self.state.trail else built
        made = outline.expression_at(site.span) if site.path == built.path else None
        if made is None or made is getattr(statement, "value", None):
            return False
        return outline.statement_of(made) is statement

    def _candidates(self) -> Iterator[tuple[FileEdit, ...]]:
        moved = self.params.roots[0]
        built, filled = self.state.roots[:2]
        orders = [self._order(built, moved), None if self.eager else self._order(filled, moved)]
        for order in orders:
            yield order.moved_up() if order is not None else ()
        last = orders[0] if self.eager else orders[1]
        yield last.moved_down() if last is not None else ()
        yield self._at_construction()

    def _order(self, early: Chain, late: Chain) -> Order | None:
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
            order = statement_order.between(outline, first, second)
            alone = (
                other == late[-1] and order is not None and order.late in (second, outline.parents[second])
            )
            return replace(order, alone=alone and is_movable(order.late)) if order is not None else None
        return None

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
        found = device_expression.find(self.facts, place, []) or told_function.at(self.facts, place)
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
