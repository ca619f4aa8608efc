"""Relocation: the ways to get one operand onto the accelerator, best first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.facts import Facts
from devfix.findings import (
    Applicability,
    Edit,
    FileEdit,
    Fix,
    InsertAfter,
    InsertAtBodyStart,
    Mismatch,
    Operand,
    Origin,
    SetKeyword,
    Span,
    WrapExpression,
)
from devfix.placement import device_expression
from devfix.placement.device_expression import DeviceExpression, Place

_MADE = ("factory", "random-factory")
#: More factories than this are not changed together: one move of their result is clearer.
_MAX_FACTORIES = 3


class Relocator:
    """Builds fixes that move one operand of a mismatch to where its peers are."""

    def __init__(self, facts: Facts, mismatch: Mismatch, operand: Operand) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.operand = operand
        self.peers = [o for o in mismatch.operands if o is not operand and o.device not in ("cpu", None)]
        self.title = f"move `{operand.text}` to the device of what it meets"

    def fixes(self) -> list[Fix]:
        """All fixes, the preferred one first, without repeats."""
        found: dict[tuple[FileEdit, ...], Fix] = {}
        for edits in self._candidates():
            if edits:
                found.setdefault(edits, Fix(self.title, edits, Applicability.SAFE))
        return list(found.values())

    def _candidates(self) -> Iterator[tuple[FileEdit, ...]]:
        yield self._at_factories()
        yield from self._at_unpacking()
        yield from self._where_made()
        yield self._at_use()

    # ------------------------------------------------------------------- the factory

    def _at_factories(self) -> tuple[FileEdit, ...]:
        """Every factory call that the operand goes back to gets the device."""
        trails = [self.operand.trail, *self.operand.roots]
        origins = [trail[0] for trail in trails if trail and trail[0].kind in _MADE]
        made = self.operand.trail[0] if self.operand.trail else None
        derived = made is not None and made.kind not in _MADE
        if not origins or len(origins) > _MAX_FACTORIES:
            return ()
        if derived and (len(origins) < len(self.operand.roots) or self._elsewhere(origins)):
            return ()
        edits: list[FileEdit] = []
        for origin in origins:
            change = self._at_factory(origin)
            if not change:
                return ()
            edits.extend(edit for edit in change if edit not in edits)
        return tuple(edits)

    def _elsewhere(self, origins: list[Origin]) -> bool:
        """Whether a factory is in another function than the place where its result is used."""
        scope = self.mismatch.get("scope")
        return any(o.path != self.mismatch.path or o.scope != scope for o in origins)

    def _at_factory(self, origin: Origin) -> tuple[FileEdit, ...]:
        place = self._place(origin.path, origin.span)
        if place is None or not isinstance(place.node, ast.Call) or _is_legacy(place.node):
            return self._wrap(place)
        if origin.kind == "random-factory" or any(k.arg == "device" for k in place.node.keywords):
            return self._wrap(place)
        found = self._expression(place)
        if found is None:
            return ()
        return self._edits(place, SetKeyword(origin.span, "device", found.code), found)

    # ------------------------------------------------------------------ the unpacking

    def _at_unpacking(self) -> Iterator[tuple[FileEdit, ...]]:
        """After the statement that took the value out of a batch, one ``x = x.to(device)``."""
        for site in reversed(self.operand.trail):
            if site.kind != "name":
                continue
            place = self._place(site.path, site.span)
            if place is None or not isinstance(place.node, ast.Name):
                continue
            edits = self._after_binding(place, place.node.id)
            if edits:
                yield edits

    def _after_binding(self, place: Place, name: str) -> tuple[FileEdit, ...]:
        statement = place.outline.statement_of(place.node)
        inside: ast.AST = place.node
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            inside = statement.body[0]
        elif not (isinstance(statement, ast.Assign) and _is_unpacking(statement)):
            return ()
        found = self._expression(Place(place.path, place.outline, inside))
        if found is None or found.code.partition(".")[0] == name:
            return ()
        span = place.outline.source.span(statement)
        code = f"{name} = {name}.to({found.code})"
        loop = isinstance(statement, (ast.For, ast.AsyncFor))
        edit: Edit = InsertAtBodyStart(span, code) if loop else InsertAfter(span, code)
        return self._edits(place, edit, found)

    # -------------------------------------------------------------- where it was made

    def _where_made(self) -> Iterator[tuple[FileEdit, ...]]:
        """The right-hand side of the assignment that gave the value its name or attribute."""
        for site in self.operand.trail:
            if site.kind not in ("name", "attribute", "module-attribute"):
                continue
            place = self._place(site.path, site.span)
            statement = place.outline.statement_of(place.node) if place is not None else None
            if place is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            if statement.targets[0] is place.node:
                yield self._wrap(Place(place.path, place.outline, statement.value))

    # ----------------------------------------------------------------------- the use

    def _at_use(self) -> tuple[FileEdit, ...]:
        place = self._place(self.operand.path, self.operand.span)
        if place is None or self.operand.span == self.mismatch.sink:
            return ()
        return self._wrap(place)

    # -------------------------------------------------------------------------- parts

    def _wrap(self, place: Place | None) -> tuple[FileEdit, ...]:
        if place is None or not isinstance(place.node, ast.expr):
            return ()
        found = self._expression(place)
        if found is None:
            return ()
        span = place.outline.source.span(place.node)
        return self._edits(place, WrapExpression(span, "", f".to({found.code})"), found)

    def _place(self, path: str, span: Span) -> Place | None:
        if path not in self.facts.program.sources:
            return None
        outline = self.facts.outline(path)
        node = outline.expression_at(span)
        return Place(path, outline, node) if node is not None else None

    def _expression(self, place: Place) -> DeviceExpression | None:
        return device_expression.find(self.facts, place, self.peers)

    @staticmethod
    def _edits(place: Place, edit: Edit, found: DeviceExpression) -> tuple[FileEdit, ...]:
        return (*found.edits, FileEdit(place.path, edit))


def _is_unpacking(statement: ast.Assign) -> bool:
    return len(statement.targets) == 1 and isinstance(statement.targets[0], (ast.Tuple, ast.List))


def _is_legacy(call: ast.Call) -> bool:
    """``torch.FloatTensor(...)`` takes no device but its own."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name.endswith("Tensor")
