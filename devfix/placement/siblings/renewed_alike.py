"""Renewed alike: what gets its name again from what it was, as ``x = Variable(x)``, moves there as its neighbours do."""

from __future__ import annotations

import ast
from operator import attrgetter

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.siblings import sibling_move, twin_move
from devfix.placement.text import chains


def within(facts: Facts, place: Place) -> tuple[FileEdit, ...]:
    """``x = Variable(x.long().cuda())`` beside ``y = Variable(y.cuda())``, for the name at a place that binds it before."""
    if not isinstance(place.node, ast.Name):
        return ()
    outline, name = place.outline, place.node.id
    renewal = _renewal(outline, outline.statement_of(place.node), name)
    own = _renewed(renewal, name) if renewal is not None else None
    if renewal is None or own is None or sibling_move.last_move(own):
        return ()
    for twin, other in twin_move.others(outline, renewal, name):
        made = _renewed(twin, other)
        suffix = sibling_move.last_move(made) if made is not None else ""
        alike = sibling_move.wrapper(twin.value) == sibling_move.wrapper(renewal.value)
        if not alike or not suffix or sibling_move.names(suffix, name):
            continue
        if sibling_move.is_placed(facts, place, twin, other):
            return suffixes.as_beside(facts, outline, own, suffix, twin)
    return ()


def _renewal(outline: Outline, statement: ast.stmt, name: str) -> ast.Assign | None:
    """The next statement that binds a name, in the block of the one that has bound it, or in the body of that loop."""
    scope = outline.function_of(statement) or outline.source.tree
    later = (each for each in outline.names_in(scope).binders(name) if each.lineno > statement.lineno)
    found = min(later, key=attrgetter("lineno"), default=None)
    if not isinstance(found, ast.Assign) or not sibling_move.binds(found, name):
        return None
    block = statement.body if isinstance(statement, (ast.For, ast.AsyncFor)) else outline.block_of(statement)
    return found if outline.block_of(found) is block else None


def _renewed(statement: ast.Assign, name: str) -> ast.expr | None:
    """``x.long()`` of ``x = Variable(x.long())``: what a function alone is given that the name stood for until then."""
    value = statement.value
    if not isinstance(value, ast.Call) or not sibling_move.wrapper(value):
        return None
    given = value.args[0]
    return given if chains.name_of(given, ast.Attribute, ast.Call) == name else None
