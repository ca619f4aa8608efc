"""Unpacked parts: what one comprehension makes for several names moves where it is made, if the names are refused alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand
from devfix.placement.batches import batch_move
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves.common_source import VIEWS
from devfix.placement.text import chains

Edits = tuple[FileEdit, ...]
_Comprehension = ast.ListComp | ast.GeneratorExp
#: What shows the elements of a tensor in another shape, or as other numbers.
_ALIKE = VIEWS | {"float", "long", "int", "bool", "double", "half"}


def ways(
    facts: Facts, operand: Operand, peers: list[Operand], wrap: Callable[[Place], Edits]
) -> Iterator[Edits]:
    """``x, y = (torch.stack(c).to(device) for c in columns)``, or, where not all names are refused, each name after that.

    The second way is for a view of a name, such as ``y.unsqueeze(1)``: the name moves beside the others.
    """
    place = _target(facts, operand)
    if place is None:
        return
    statement = place.outline.statement_of(place.node)
    value, names = _unpacking(statement)
    refused = set(_refused(facts, place, statement))
    if value is None or len(refused) < 2:
        return
    rest = [name for name in names if name not in refused and _uses(place, statement, name)]
    alike = len(rest) < len(refused) and all(_may_move(facts, place, statement, name) for name in rest)
    if isinstance(value, _Comprehension) and alike:
        yield wrap(Place(place.path, place.outline, value))
    if all(site.kind != "name" for site in operand.trail):
        yield batch_move.after(facts, place, peers)


def _target(facts: Facts, operand: Operand) -> Place | None:
    """The name beside others that an operand, or what it is a view of, was unpacked into."""
    for site in reversed(operand.trail):
        named = place_at(facts, site.path, site.span) if site.kind == "name" else None
        if named is not None and _unpacking(named.outline.statement_of(named.node))[0] is not None:
            return named
    place = place_at(facts, operand.path, operand.span)
    target = _bound(place) if place is not None else None
    if place is not None and target is not None and _may_be_several(facts, place, target.id):
        return None
    return Place(place.path, place.outline, target) if place is not None and target is not None else None


def _may_be_several(facts: Facts, place: Place, name: str) -> bool:
    """Whether a name is bound to lists of tensors, as ``x, y = zip(*pairs)`` does: they have no method that moves them."""
    scope = place.outline.scopes(place.node)[0]
    return any(each.kind in ("list", "none") for each in facts.bindings(place.path, scope).get(name, ()))


def _bound(place: Place) -> ast.Name | None:
    """Where the name at the head of an expression is bound, once and for certain, beside others."""
    head = chains.head(place.node, (ast.Call, ast.Subscript), _ALIKE)
    if not isinstance(head, ast.Name):
        return None
    outline = place.outline
    around = outline.function_of(head) or outline.source.tree
    stores = [each for each in outline.occurrences(around, head.id) if isinstance(each.ctx, ast.Store)]
    if len(stores) != 1:
        return None
    statement = outline.statement_of(stores[0])
    sure = _unpacking(statement)[0] is not None and outline.dominates(statement, head)
    return stores[0] if sure else None


def _unpacking(statement: ast.stmt) -> tuple[ast.expr | None, list[str]]:
    """What makes the values that an assignment gives to several names by one expression, and the names."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None, []
    target, value = statement.targets[0], statement.value
    names = [each.id for each in getattr(target, "elts", ()) if isinstance(each, ast.Name)]
    if not isinstance(target, (ast.Tuple, ast.List)) or len(names) != len(target.elts) or len(names) < 2:
        return None, []
    return (value if isinstance(value, (ast.Call, _Comprehension)) else None), names


def _refused(facts: Facts, place: Place, statement: ast.stmt) -> Iterator[str]:
    """The names of an assignment that meet something on the accelerator while they are on the CPU, by themselves or as views."""
    for mismatch in facts.mismatches("device"):
        for operand in mismatch.operands:
            target = _target(facts, operand) if operand.device == "cpu" else None
            if target is None or target.outline is not place.outline or not isinstance(target.node, ast.Name):
                continue
            if target.outline.statement_of(target.node) is statement:
                yield target.node.id


def _uses(place: Place, statement: ast.stmt, name: str) -> list[ast.Name]:
    around = place.outline.function_of(statement) or place.outline.source.tree
    return [each for each in place.outline.occurrences(around, name) if isinstance(each.ctx, ast.Load)]


def _may_move(facts: Facts, place: Place, statement: ast.stmt, name: str) -> bool:
    """Whether a name stands for a tensor that is but calculated with, as ``rew[t] + value`` does of numbers that may be anywhere."""
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(name, [])
    parents = place.outline.parents
    heads = [
        parents[each] if isinstance(parents[each], ast.Subscript) else each
        for each in _uses(place, statement, name)
    ]
    calculated = all(isinstance(parents[each], (ast.BinOp, ast.UnaryOp)) for each in heads)
    return calculated and bool(bindings) and all(each.kind == "tensor" for each in bindings)
