"""Sibling arguments: what a call is handed moves in the call, as the others that it is handed there do."""

from __future__ import annotations

import ast
from itertools import zip_longest
from operator import attrgetter

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Mismatch, Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import suffixes
from devfix.placement.siblings.sibling_move import move_of, names

Edits = tuple[FileEdit, ...]


def in_call(facts: Facts, mismatch: Mismatch, trail: tuple[Origin, ...]) -> Edits:
    """``net(x.cuda(), y.cuda())`` where ``net(x.cuda(), y)`` hands on what fails there, or within.

    For programs that name no device: with one at hand, what is unpacked or made moves once for all its uses.
    """
    known = [site for site in trail if site.kind != "given"]
    for site, then in zip_longest(known, known[1:]):
        place = place_at(facts, site.path, site.span) if site.kind == "name" else None
        if place is None or (then is not None and then.kind != "argument"):
            continue
        handed = _next_use(place)
        call = _call_with(place, handed) if handed is not None else None
        if handed is None or call is None:
            continue
        suffix = _suffix_of_others(call, handed)
        if suffix and (then is not None or place.outline.source.span(call) == mismatch.sink):
            return suffixes.added(facts, place.outline, handed, suffix)
    return ()


def _next_use(place: Place) -> ast.Name | None:
    """Where a name stands next, in the order of the text, after the statement that binds it at a place."""
    outline, node = place.outline, place.node
    if not isinstance(node, ast.Name):
        return None
    statement = outline.statement_of(node)
    bound = node if isinstance(statement, (ast.For, ast.AsyncFor)) else statement
    end = (bound.end_lineno or 0, bound.end_col_offset or 0)
    found = outline.occurrences(outline.function_of(statement) or outline.source.tree, node.id)
    later = [each for each in found if (each.lineno, each.col_offset) >= end]
    return min(later, key=attrgetter("lineno", "col_offset"), default=None)


def _call_with(place: Place, handed: ast.Name) -> ast.Call | None:
    """The call that is handed a name as it stands."""
    parent = place.outline.parents[handed]
    if isinstance(parent, ast.keyword) and parent.arg is not None:
        parent = place.outline.parents[parent]
    return parent if isinstance(parent, ast.Call) and parent.func is not handed else None


def _suffix_of_others(call: ast.Call, handed: ast.Name) -> str:
    """``.cuda()`` where it is what moves another argument; "" where none is moved so."""
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        suffix = move_of(given)
        if suffix.startswith(".cuda(") and not names(suffix, handed.id):
            return suffix
    return ""
