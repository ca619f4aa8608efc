"""Common sources: one value, of which several names get views that all stayed on the CPU, moves before they are made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Origin
from devfix.placement.devices.boundness import decides
from devfix.placement.devices.device_expression import Place
from devfix.placement.text import chains
from devfix.placement.text.provenance import left_behind

#: Methods that show what a tensor holds in another shape, and compute nothing.
VIEWS = frozenset(
    "view reshape unsqueeze squeeze expand flatten t permute transpose view_as expand_as".split()
)


def of(facts: Facts, place: Place) -> Place | None:
    """What ``share`` gets, where ``a, b = share.view(-1, 1), share[:, None]`` is all that it is for, and ``a`` is at the place."""
    value = _value(place.outline.statement_of(place.node), place.node)
    head = _head(value)
    function = place.outline.function_of(place.node)
    if head is None or function is None:
        return None
    uses = list(place.outline.occurrences(function, head.id))
    made = [node for node in uses if isinstance(node.ctx, ast.Store)]
    statement = place.outline.statement_of(made[0]) if len(made) == 1 else None
    if not isinstance(statement, ast.Assign) or statement.targets != made:
        return None
    if not isinstance(statement.value, ast.Call) or not decides(place.outline, statement, made[0]):
        return None
    named = [_named(place, node) for node in uses if isinstance(node.ctx, ast.Load)]
    behind = {(site.path, site.span) for life in left_behind(facts) for site in _names(life)}
    spans = {place.outline.source.span(name) if name is not None else None for name in named}
    if len(spans) < 2 or any((place.path, span) not in behind for span in spans):
        return None
    return Place(place.path, place.outline, statement.value)


def _names(life: tuple[Origin, ...]) -> Iterator[Origin]:
    return (site for site in life if site.kind == "name")


def _value(statement: ast.stmt, name: ast.AST) -> ast.expr | None:
    """What a statement gives to one of its names, in a display or by itself."""
    target = (
        statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    )
    if not isinstance(statement, ast.Assign) or target is None:
        return None
    if target is name:
        return statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(statement.value, ast.Tuple):
        return None
    pairs = zip(target.elts, statement.value.elts, strict=False)
    return next((value for part, value in pairs if part is name), None)


def _head(value: ast.expr | None) -> ast.Name | None:
    """``share`` of ``share.view(-1, 1)[None]``; None of what is no view of a name."""
    found = chains.head(value, (ast.Call, ast.Subscript), VIEWS) if value is not None else None
    return found if isinstance(found, ast.Name) and found is not value else None


def _named(place: Place, head: ast.expr) -> ast.expr | None:
    """The name that gets the view which begins with a name."""
    statement = place.outline.statement_of(head)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    parts = target.elts if isinstance(target, ast.Tuple) else [target] if target is not None else []
    return next((part for part in parts if _head(_value(statement, part)) is head), None)
