"""Common sources: one value, of which several names get views that all stayed on the CPU, moves before they are made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from devfix.analysis.record.facts import Facts
from devfix.findings import Operand, Span
from devfix.placement.devices.boundness import decides
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text import chains
from devfix.placement.text.provenance import names_left_behind

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
    behind = names_left_behind(facts)
    spans = {place.outline.source.span(name) if name is not None else None for name in named}
    if len(spans) < 2 or any((place.path, span) not in behind for span in spans):
        return None
    return Place(place.path, place.outline, statement.value)


def of_operand(facts: Facts, operand: Operand) -> Place | None:
    """An operand; or what ``share`` gets where it is one of several views of that, all of which stayed behind."""
    place = place_at(facts, operand.path, operand.span)
    if place is None or operand.held:
        return place
    return _of_views(facts, place, operand) or place


def _of_views(facts: Facts, place: Place, operand: Operand) -> Place | None:
    name, function = _viewed(place.node), place.outline.function_of(place.node)
    if name is None or function is None:
        return None
    uses = list(place.outline.occurrences(function, name.id))
    given = [place.outline.statement_of(node) for node in _stores(uses)]
    statement = next((each for each in reversed(given) if _ends_before(each, name)), None)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    later = [node for node in uses if _ends_before(statement, node)]
    if len(later) < 2 or _stores(later) or not _is_final(place, statement, later):
        return None
    behind = set(_operands_behind(facts))
    if any((place.path, place.outline.source.span(_widest(place, node))) not in behind for node in later):
        return None
    born = place.outline.source.span(statement.value)
    if any(life and life[0].span == born and facts.is_leaf(life[0]) for life in operand.roots):
        return None  # an optimizer would have the leaf
    return Place(place.path, place.outline, statement.value)


def _ends_before(statement: ast.stmt, name: ast.Name) -> bool:
    return (statement.end_lineno or statement.lineno) < name.lineno


def _viewed(node: ast.AST) -> ast.Name | None:
    """``share`` of ``share.view(-1, 1)`` and of ``share`` itself."""
    found = chains.head(node, (ast.Call, ast.Subscript), VIEWS)
    return found if isinstance(found, ast.Name) else None


def _widest(place: Place, name: ast.Name) -> ast.AST:
    """The whole view that begins with a name: ``share.view(-1, 1)``."""
    links = (ast.Attribute, ast.Subscript, ast.Call)
    around = takewhile(lambda each: isinstance(each, links), place.outline.around(name))
    return next((each for each in reversed(list(around)) if _viewed(each) is name), name)


def _stores(uses: list[ast.Name]) -> list[ast.Name]:
    return [node for node in uses if isinstance(node.ctx, ast.Store)]


def _is_final(place: Place, statement: ast.Assign, later: list[ast.Name]) -> bool:
    """Whether each later use has what a statement gives, and none before it has in another round of a loop."""
    loops = (ast.For, ast.AsyncFor, ast.While)
    sees = all(place.outline.dominates(statement, node) for node in later)
    around = [each for each in place.outline.around(statement) if isinstance(each, loops)]
    return sees and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name) and not around


def _operands_behind(facts: Facts) -> Iterator[tuple[str, Span]]:
    """Where something is on the CPU that meets the accelerator there."""
    for mismatch in facts.mismatches("device"):
        yield from ((each.path, each.span) for each in mismatch.operands if each.device == "cpu")


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
