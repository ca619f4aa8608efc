"""Told attributes: what an object keeps is put where the function that gives it to the object tells all else of it to be."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Origin, SetKeyword
from devfix.placement.devices.device_expression import Place, is_in_module, place_at
from devfix.placement.moves import suffixes
from devfix.placement.moves.common_source import VIEWS
from devfix.placement.siblings import alike_move, made_beside, sibling_move, told_beside, twin_move
from devfix.placement.text import chains
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]
#: What shows, or gives, the same numbers.
_SAME = VIEWS | {"clone", "detach"}


def beside(facts: Facts, trails: Iterable[tuple[Origin, ...]]) -> Edits:
    """``self.keys = torch.zeros(8, 3, device=device)`` beside ``self.ids = torch.zeros(8, device=device)``."""
    for trail in trails if not facts.program.adopts else ():
        for site in trail:
            place = place_at(facts, site.path, site.span) if site.kind in ("attribute", "result") else None
            kept = _given(place) if place is not None and not is_in_module(facts, place) else None
            if place is not None and kept is not None and (edits := _as_others(facts, place, kept)):
                return edits
    return ()


def _given(place: Place) -> ast.Assign | None:
    """The statement that gives an object what is at the place, or what that shows: the only one of its class that does."""
    head = chains.head(place.node, (ast.Call, ast.Subscript), _SAME)
    name = dotted(head) if isinstance(head, ast.Attribute) else None
    method = place.outline.function_of(head)
    cls = place.outline.class_of(method) if method is not None else None
    if cls is None or name is None or not name.startswith(f"{place.outline.receiver_name(method)}."):
        return None
    stores = [each for each in _uses(cls, name) if isinstance(each.ctx, ast.Store)]
    statement = place.outline.statement_of(stores[0]) if len(stores) == 1 else None
    if not isinstance(statement, ast.Assign) or statement.targets != stores or _is_data(cls):
        return None
    return statement if isinstance(statement.value, ast.Call) else None


def _is_data(cls: ast.ClassDef) -> bool:
    """Whether objects of a class are data that is taken from them item by item, which moves then."""
    return any(getattr(node, "name", "") == "__getitem__" for node in cls.body)


def _uses(cls: ast.AST, name: str) -> list[ast.Attribute]:
    return [node for node in in_rows(cls) if isinstance(node, ast.Attribute) and dotted(node) == name]


def _as_others(facts: Facts, place: Place, statement: ast.Assign) -> Edits:
    outline, value = place.outline, statement.value
    cls = outline.class_of(outline.function_of(statement) or statement)
    name = dotted(statement.targets[0]) or ""
    beside = [
        (other, kept)
        for other, kept in twin_move.others(outline, statement, name)
        if sibling_move.is_tensor(facts, place, other, kept)
    ]
    placed = all(sibling_move.is_placed(facts, place, other, kept) for other, kept in beside)
    told = {told_beside.device_of(other.value) for other, _ in beside}
    device = told.pop() if placed and len(told) == 1 else ""
    if not device or cls is None or _is_kept_on_host(place, cls, statement, name):
        return ()
    moved = suffixes.as_beside(facts, outline, value, f".to({device})", beside[0][0])
    if moved and made_beside.is_plain(value, {"device", None}):
        return (FileEdit(place.path, SetKeyword(outline.source.span(value), "device", device)),)
    return moved


def _is_kept_on_host(place: Place, cls: ast.ClassDef, statement: ast.stmt, name: str) -> bool:
    """Whether the class reads an attribute as an array, or fetches what it writes to it."""
    if alike_move.is_read_as_array(place, statement, name):
        return True
    statements = {place.outline.statement_of(each) for each in _uses(cls, name)}
    fetched = (node for each in statements for node in in_rows(each) if isinstance(node, ast.Attribute))
    return any(node.attr == "cpu" for node in fetched)
