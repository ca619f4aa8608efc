"""Host rows: what is put in rows of numbers for NumPy becomes a number there, or is copied before the rows are made of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import FileEdit
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.to_host import host_list

Edits = tuple[FileEdit, ...]
_ROWS = (ast.List, ast.Tuple)
#: What may be called where rows are made of the items of a copy: it asks for numbers, and brings nothing else in.
_PLAIN = frozenset("append float int round min max abs len item".split())


def copied(facts: Facts, place: Place, columns: str, suffix: str) -> Edits:
    """``history.append((epoch, loss.item()))``, by the positions at which a row holds tensors.

    Where rows are made of the items of one tensor, it is copied as a whole: ``for box in boxes.cpu()``.
    """
    rows = list(_rows(facts, place))
    positions = [int(each) for each in columns.removesuffix("!").split(",") if each]
    cells: list[ast.expr] = []
    for row in rows:
        if not isinstance(row, _ROWS) or any(isinstance(each, ast.Starred) for each in row.elts):
            return ()
        if len(row.elts) <= max(positions):
            return ()
        cells += [row.elts[each] for each in positions if not isinstance(row.elts[each], ast.Constant)]
    if (whole := _whole(facts, place, rows, cells)) is not None:
        return suffixes.added(facts, place.outline, whole, suffix)
    kind = suffix if columns.endswith("!") else ".item()"
    wraps = [suffixes.added(facts, place.outline, cell, kind) for cell in cells]
    return tuple(edit for wrap in wraps for edit in wrap) if all(wraps) else ()


def _rows(facts: Facts, place: Place) -> Iterator[ast.expr]:
    """The displays of the rows: in a display, of a comprehension, or that are appended to a list."""
    node = place.node
    if isinstance(node, ast.ListComp):
        yield node.elt
    elif isinstance(node, _ROWS):
        yield from node.elts
    elif isinstance(node, (ast.Name, ast.Attribute)):
        yield from host_list.appended(facts, place)


def _whole(
    facts: Facts, place: Place, rows: Sequence[ast.expr], cells: Sequence[ast.expr]
) -> ast.expr | None:
    """The tensor that a loop goes through which does nothing else than make one row of several parts of each item."""
    if len(rows) != 1 or len(cells) < 2:
        return None
    loop = next((each for each in place.outline.around(rows[0]) if isinstance(each, ast.For)), None)
    if loop is None or not isinstance(loop.iter, ast.Name) or not isinstance(loop.target, ast.Name):
        return None
    own = {loop.target.id}
    for statement in loop.body:
        if not isinstance(statement, (ast.Assign, ast.Expr)) or not _is_plain(statement):
            return None
        own |= {node.id for node in _names(statement) if isinstance(node.ctx, ast.Store)}
    others = {node.id for part in loop.body for node in _names(part)} - own
    if any(_is_tensor(facts, place, loop, name, only=False) for name in others):
        return None  # what it would meet stays on the accelerator
    is_known = _is_tensor(facts, place, loop, loop.iter.id, only=True) and not _may_be_array(place, loop)
    return loop.iter if is_known else None


def _is_plain(statement: ast.stmt) -> bool:
    return all(called(node) in _PLAIN for node in in_rows(statement) if isinstance(node, ast.Call))


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (each for each in in_rows(node) if isinstance(each, ast.Name))


def _is_tensor(facts: Facts, place: Place, loop: ast.For, name: str, *, only: bool) -> bool:
    """Whether a name was seen to be a tensor where a loop is; ``only``: and nothing else."""
    found = facts.bindings(place.path, place.outline.scopes(loop)[0]).get(name, [])
    kinds = {each.kind == "tensor" for each in found}
    return kinds == {True} if only else True in kinds


def _may_be_array(place: Place, loop: ast.For) -> bool:
    """Whether the function around a loop makes arrays of tensors before it: what it goes through may be of one."""
    around = place.outline.function_of(loop) or place.outline.source.tree
    asked = (node for node in in_rows(around) if isinstance(node, ast.Attribute) and node.attr == "numpy")
    return any(node.lineno < loop.lineno for node in asked)
