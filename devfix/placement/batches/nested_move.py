"""Nested moves: the parts of a batch that are lists or dicts of tensors, moved at the top of the loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, InsertAtBodyStart, Operand
from devfix.placement.batches import batch_forms
from devfix.placement.batches.batch_move import is_moved_by_another, moves_parts
from devfix.placement.devices import device_expression
from devfix.placement.devices.boundness import mentions
from devfix.placement.devices.device_expression import Place

_MOVES = ("to", "cuda")


def at_loop(facts: Facts, place: Place, peers: list[Operand]) -> tuple[FileEdit, ...]:
    """Moves of all that the loop over the loader at ``place`` unpacks and that holds tensors in lists or dicts."""
    loop = place.outline.statement_of(place.node)
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return ()
    nested = dict(_nested(facts, place, loop))
    found = device_expression.find(facts, Place(place.path, place.outline, loop.body[0]), peers)
    if not nested or found is None or found.code.partition(".")[0] in nested:
        return ()
    if any("mixed" in kind for kind in nested.values()) and is_moved_by_another(facts, place):
        return ()
    lines = [batch_forms.moved(kind, name, found.code) for name, kind in nested.items()]
    edit = InsertAtBodyStart(place.outline.source.span(loop), "\n".join(lines))
    return (*found.edits, FileEdit(place.path, edit))


def _nested(facts: Facts, place: Place, loop: ast.For | ast.AsyncFor) -> Iterator[tuple[str, str]]:
    """Names that the loop binds, each with the form of what it holds, always the same.

    A list under one name is taken apart further down, where its parts move.
    """
    whole = isinstance(loop.target, ast.Name)
    span = place.outline.source.span(loop)
    bindings = facts.bindings(place.path, place.outline.scopes(loop)[0])
    for part in ast.walk(loop.target):
        if isinstance(part, ast.Name) and moves_parts(loop, part.id):
            continue  # what else is in it moves in the same way
        if isinstance(part, ast.Name) and mentions(loop.body, {part.id}) and not _is_moved(loop, part.id):
            kinds = {bound.kind for bound in bindings.get(part.id, ()) if bound.statement == span}
            if len(kinds) == 1 and kinds <= (batch_forms.DICTS if whole else batch_forms.COLLECTIONS):
                yield part.id, kinds.pop()


def _is_moved(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether the loop's body already gives the name to what it moved."""
    assigned = (node for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Assign))
    values = (a.value for a in assigned if any(isinstance(t, ast.Name) and t.id == name for t in a.targets))
    return any(
        isinstance(node, ast.Attribute) and node.attr in _MOVES
        for value in values
        for node in ast.walk(value)
    )
