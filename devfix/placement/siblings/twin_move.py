"""Twin moves: two statements that are the same but for names and numbers move what they make in the same way."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from operator import attrgetter

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.siblings import sibling_move
from devfix.placement.text import following_use
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]

#: So many statements away something is near.
_NEAR = 8


def within(facts: Facts, place: Place, statement: ast.Assign, name: str) -> Edits:
    """``x = Variable(from_numpy(a).cuda())`` beside ``y = Variable(from_numpy(b).cuda())``: the move stands within."""
    for twin, other in others(place.outline, statement, name):
        moves = _moves_in(twin.value)
        if len(moves) != 1 or not sibling_move.is_placed(facts, place, twin, other):
            continue
        suffix = sibling_move.last_move(moves[0])
        alike, counterpart = _compared(place.outline, statement.value, twin.value, moves[0])
        # What is there already would move as a whole, over and over.
        if alike and isinstance(counterpart, ast.Call) and not sibling_move.names(suffix, name):
            return suffixes.as_beside(facts, place.outline, counterpart, suffix, twin)
    return ()


def behind(facts: Facts, place: Place, statement: ast.Assign, name: str) -> Edits:
    """``x = x.to(device)`` after ``y = y.to(device)``, where ``x = xs[i]`` and ``y = ys[i]`` stand above.

    So it is with what an object keeps, under ``self.x`` and ``self.y``.
    """
    outline = place.outline
    for twin, other in others(outline, statement, name):
        if not _compared(outline, statement.value, twin.value, None)[0]:
            continue
        for move, suffix in _moves_below(outline, twin, other):
            follows = statement.lineno <= move.lineno and not sibling_move.names(suffix, name)
            if not follows or not sibling_move.is_placed(facts, place, move, other):
                continue
            if move.lineno < _next_use(outline, statement, name):
                edit = InsertAfter(outline.source.span(move), f"{name} = {name}{suffix}", statement.lineno)
                return (FileEdit(place.path, edit),)
    return ()


def others(outline: Outline, statement: ast.Assign, name: str) -> Iterator[tuple[ast.Assign, str]]:
    """The other statements of a block, near one of them, that give one name a value, or an attribute of the same object."""
    block = outline.block_of(statement)
    number = block.index(statement)
    for other in block[max(0, number - _NEAR) : number + _NEAR + 1]:
        target = other.targets[0] if isinstance(other, ast.Assign) and len(other.targets) == 1 else None
        found = dotted(target) if isinstance(target, (ast.Name, ast.Attribute)) else None
        same = found is not None and found.rpartition(".")[0] == name.rpartition(".")[0]
        if isinstance(other, ast.Assign) and found is not None and same and found != name:
            yield other, found


@noted
def _moves_in(value: ast.expr) -> list[ast.Call]:
    """The calls within an expression that move something."""
    return [n for n in in_rows(value) if isinstance(n, ast.Call) and sibling_move.last_move(n)]


def _moves_below(outline: Outline, statement: ast.stmt, name: str) -> Iterator[tuple[ast.stmt, str]]:
    """``y = y.to(device)`` below a statement in its block, or in an ``if`` there: the statement, and what it calls."""
    block = outline.block_of(statement)
    number = block.index(statement) + 1
    for below in block[number : number + _NEAR]:
        for part in below.body if isinstance(below, ast.If) else [below]:
            value = part.value if isinstance(part, ast.Assign) else None
            suffix = sibling_move.last_move(value) if value is not None else ""
            if suffix and _binds(part, name) and ast.unparse(value or part) == name + suffix:
                yield part, suffix


def _binds(statement: ast.stmt, name: str) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return len(targets) == 1 and dotted(targets[0]) == name


def _next_use(outline: Outline, statement: ast.Assign, name: str) -> float:
    """The line behind a statement in which what it has given to a name or an object is used; few moves come far enough to be asked."""
    kept = "." in name
    return _next_seen(outline, statement) if kept else following_use.line_of(outline, statement, name)


def _next_seen(outline: Outline, statement: ast.Assign) -> float:
    """The line behind a statement in which somebody may see what it has given to an object: that is called or handed on."""
    kept = statement.targets[0]
    owner, attribute = dotted(getattr(kept, "value", kept)), getattr(kept, "attr", "")
    scope, end = outline.function_of(statement) or outline.source.tree, statement.end_lineno or 0
    for node in sorted(
        (n for n in in_rows(scope) if getattr(n, "lineno", 0) > end), key=attrgetter("lineno")
    ):
        if not isinstance(node, (ast.Name, ast.Attribute)) or dotted(node) != owner:
            continue
        around = outline.parents[node]
        called = (
            isinstance(outline.parents[around], ast.Call)
            and getattr(outline.parents[around], "func", None) is around
        )
        if not isinstance(around, ast.Attribute) or called or around.attr == attribute:
            return node.lineno
    return math.inf


def _compared(
    outline: Outline, own: ast.AST, twin: ast.AST, move: ast.Call | None
) -> tuple[bool, ast.expr | None]:
    """Whether an expression is the other one but for what they name and the other's move, and what that would be of."""
    if move is not None and twin is move and isinstance(move.func, ast.Attribute):
        alike, _ = _compared(outline, own, move.func.value, None)
        return alike, own if isinstance(own, ast.expr) else None
    if type(own) is not type(twin):
        return False, None
    if isinstance(own, ast.Name) and isinstance(twin, ast.Name):
        return own.id == twin.id or not {own.id, twin.id} & _fixed(outline, own), None
    if isinstance(own, ast.Constant) and isinstance(twin, ast.Constant):
        return type(own.value) is type(twin.value), None
    if isinstance(own, ast.Attribute) and isinstance(twin, ast.Attribute) and own.attr != twin.attr:
        return _is_of_same(outline, own, twin), None
    found: ast.expr | None = None
    for part, other in _parts(own, twin):
        if not isinstance(part, ast.AST) or not isinstance(other, ast.AST):
            if part != other:
                return False, None
            continue
        alike, inner = _compared(outline, part, other, move)
        if not alike:
            return False, None
        found = found or inner
    return True, found


def _is_of_same(outline: Outline, own: ast.Attribute, twin: ast.Attribute) -> bool:
    """Whether two attributes, of which none is called, are those of one object, and of no module."""
    owner = dotted(own.value)
    called = getattr(outline.parents[own], "func", None) is own
    return owner is not None and not called and owner == dotted(twin.value) and owner not in outline.imported


def _fixed(outline: Outline, node: ast.Name) -> set[str]:
    """The names that have to be the same in both: imported ones, and functions that are called."""
    call = outline.parents[node]
    return {*outline.imported, *([node.id] if isinstance(call, ast.Call) and call.func is node else [])}


def _parts(own: ast.AST, twin: ast.AST) -> Iterator[tuple[object, object]]:
    """The fields of two nodes of one type, those in lists one by one."""
    for field in own._fields:
        one, other = getattr(own, field, None), getattr(twin, field, None)
        if isinstance(one, list) and isinstance(other, list):
            yield from zip(one, other, strict=True) if len(one) == len(other) else [(len(one), len(other))]
        else:
            yield one, other
