"""Unpacked attributes: one of those that an object gets by one statement moves as another of them does, as prefetchers have it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, InsertAfter
from devfix.placement.devices.device_expression import Place
from devfix.placement.siblings import sibling_move
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]


def beside(facts: Facts, place: Place) -> Edits:
    """``self.y = self.y.to(device)`` after ``self.x = self.x.to(device)``, where both come from ``self.x, self.y = next(batches)``."""
    outline, own = place.outline, dotted(place.node)
    statement = outline.statement_of(place.node)
    together = set(_unpacked(statement)) - {own}
    if own is None or not together:
        return ()
    for later in _following(outline, statement):
        sibling, suffix = _own_move(later)
        if sibling == own:
            return ()
        if sibling in together and sibling_move.is_placed(facts, place, later, sibling) and own not in suffix:
            rank = outline.source.span(place.node).column
            edit = InsertAfter(outline.source.span(later), f"{own} = {own}{suffix}", rank)
            return (FileEdit(place.path, edit),)
    return ()


def _unpacked(statement: ast.stmt) -> Iterator[str]:
    """The attributes that an assignment takes a value apart into; nothing where it names anything else."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    names = [dotted(part) if isinstance(part, ast.Attribute) else None for part in parts]
    if all(names):
        yield from (name for name in names if name is not None)


def _following(outline: Outline, statement: ast.stmt) -> Iterator[ast.stmt]:
    """What is done after a statement: the rest of its block, then of a ``try`` or ``with`` around it, and the bodies of others."""
    inner = statement
    while True:
        block = outline.block_of(inner)
        for later in block[block.index(inner) + 1 :]:
            yield later
            if isinstance(later, (ast.With, ast.AsyncWith, ast.If)):
                yield from later.body
        above = outline.parents[inner]
        if not isinstance(above, (ast.Try, ast.With, ast.AsyncWith)):
            return
        inner = above


def _own_move(statement: ast.stmt) -> tuple[str, str]:
    """The attribute that a statement moves to stay what it is called, and the move; nothing for any other statement."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return "", ""
    name, suffix = dotted(statement.targets[0]), sibling_move.last_move(statement.value)
    is_own = bool(suffix) and name is not None and ast.unparse(statement.value) == f"{name}{suffix}"
    return (name or "", suffix) if is_own else ("", "")
