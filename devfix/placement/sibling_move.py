"""Sibling moves: what comes out of a batch moves as the other parts of it do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.facts import Facts
from devfix.findings import FileEdit, InsertAfter
from devfix.placement.device_expression import Place

Edits = tuple[FileEdit, ...]
_MOVES = ("to", "cuda")


def beside(facts: Facts, place: Place) -> Edits:
    """``y = y.cuda()`` after ``x = x.cuda()``, where one loop unpacks both.

    For programs that name no device: what their author wrote for ``x`` does for ``y``.
    """
    loop = place.outline.statement_of(place.node)
    if not isinstance(place.node, ast.Name) or not isinstance(loop, (ast.For, ast.AsyncFor)):
        return ()
    name = place.node.id
    for statement, sibling, suffix in _moves(loop):
        if sibling != name and _is_placed(facts, place, statement, sibling) and name not in suffix:
            rank = place.outline.source.span(place.node).column
            span = place.outline.source.span(statement)
            return (FileEdit(place.path, InsertAfter(span, f"{name} = {name}{suffix}", rank)),)
    return ()


def _moves(loop: ast.For | ast.AsyncFor) -> Iterator[tuple[ast.stmt, str, str]]:
    """The statements of a loop's body that move what it unpacks: which name, and what they call on it."""
    unpacked = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    for statement in loop.body:
        value = statement.value if isinstance(statement, ast.Assign) else None
        func = value.func if isinstance(value, ast.Call) else None
        if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or value is None:
            continue
        name = func.value.id
        if func.attr in _MOVES and name in unpacked and _binds(statement, name):
            yield statement, name, ast.unparse(value)[len(name) :]


def _binds(statement: ast.stmt, name: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name


def _is_placed(facts: Facts, place: Place, statement: ast.stmt, name: str) -> bool:
    """Whether a name was seen to be a tensor on the accelerator after a statement."""
    span = place.outline.source.span(statement)
    bindings = facts.bindings(place.path, place.outline.scopes(statement)[0]).get(name, [])
    found = [binding for binding in bindings if binding.statement == span]
    return bool(found) and all(b.device is not None and b.device.is_accelerator for b in found)
