"""Moves of each item of which nothing is kept: the copies are given to what is gone through."""

from __future__ import annotations

import ast
from collections.abc import Container

from devfix.analysis.text.moving_loops import Way, way_to_keep
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.vain_moves import VainMove, places_in, vain_move
from devfix.analysis.text.vocabulary import every_name_in
from devfix.findings import (
    Applicability,
    BindResult,
    DeleteStatement,
    Edit,
    FileEdit,
    Fix,
    InsertBefore,
    Origin,
    ReplaceExpression,
    WrapExpression,
)
from devfix.origin_kinds import IN_DICT, IN_TUPLE, IN_TURN
from devfix.placement.text.dependence import reads

#: What the number of an item, or its key, can be called.
_NUMBERS = ("i", "index", "number", "place")
_KEYS = ("key", "name", "k", "each_key")
Names = Container[str | None]


def kept(outline: Outline, move: Origin) -> Fix | None:
    """``batch = [x.to(device) for x in batch]`` in place of the statement, ``batch[i] = x.to(device)`` in it, or ``x, y = ...``."""
    statement = outline.statement_at(move.span)
    around = (statement, *outline.around(statement)) if statement is not None else ()
    node = next((each for each in around if isinstance(each, ast.stmt) and vain_move(each)), None)
    found = vain_move(node) if node is not None else None
    if node is None or found is None:
        return None
    scope = outline.function_of(node) or outline.source.tree
    way, taken = way_to_keep(scope, node, move.kind), every_name_in(scope)
    if way == "in place" and isinstance(node, ast.For):
        return _in_place(outline, node, found, taken)
    return _anew(outline, node, found, move.kind, way, taken) if way is not None else None


def _anew(outline: Outline, node: ast.stmt, move: VainMove, kind: str, way: Way, taken: Names) -> Fix | None:
    """A statement in the place of the one that moves in vain, below the comments that stand in that."""
    container = move.over.container
    kept = ", ".join(ast.unparse(place) for place in places_in(container) or [container])
    code = _copies(outline, node, move, kind, taken)
    if code is None:
        return None
    given = f"{kept} = {code}"
    if way == "in place":
        given = f"{kept}.update({code})" if kind == IN_DICT else f"{kept}[:] = {code}"
    source, span = outline.source, outline.source.span(node)
    text = "\n".join([*source.comments(span), given])
    edits = (FileEdit(source.path, InsertBefore(span, text)), FileEdit(source.path, DeleteStatement(span)))
    return Fix(f"keep the results in `{kept}`", edits, Applicability.SAFE)


def _copies(outline: Outline, node: ast.stmt, move: VainMove, kind: str, taken: Names) -> str | None:
    """The copies of what is gone through, in the form that it has."""
    if kind == IN_TURN:
        places = (ast.unparse(place) for place in places_in(move.over.container))
        return ", ".join(_moved(outline, move, place) for place in places)
    if kind != IN_DICT:
        each = _each(outline, move)
        return f"tuple({each})" if kind == IN_TUPLE else f"[{each}]"
    key = _key(node, move, _KEYS, taken)
    entry = f"{key}: {_moved(outline, move, move.over.name)}"
    container = _text(outline, move.over.container)
    return f"{{{entry} for {key}, {move.over.name} in {container}.items()}}" if key else None


def _each(outline: Outline, move: VainMove) -> str:
    """The copies, one by one; what the loop leaves alone is among them as it is."""
    name = move.over.name
    moved = _moved(outline, move, name)
    if move.test is not None:
        moved = f"{moved} if {_text(outline, move.test.test)} else {name}"
    return f"{moved} for {name} in {_text(outline, move.over.container)}"


def _in_place(outline: Outline, loop: ast.For, move: VainMove, taken: Names) -> Fix | None:
    """Each item of the list gets its copy by its number, each of the dict by its key."""
    number = _key(loop, move, _KEYS if move.over.values else _NUMBERS, taken)
    if number is None:
        return None
    source = outline.source
    entry, statement = f"{ast.unparse(move.over.container)}[{number}]", move.statement
    edits = [
        *_numbered(outline, loop, move, number),
        ReplaceExpression(source.span(statement.targets[0]), entry)
        if isinstance(statement, ast.Assign)
        else BindResult(source.span(statement), entry),
    ]
    title = f"keep the result in `{entry}`"
    return Fix(title, tuple(FileEdit(source.path, edit) for edit in edits), Applicability.SAFE)


def _numbered(outline: Outline, loop: ast.For, move: VainMove, number: str) -> list[Edit]:
    """The loop gets the number or the key of each item, unless it has that."""
    span = outline.source.span
    if move.over.key is not None:
        return [ReplaceExpression(span(move.over.key), number)] if move.over.key.id != number else []
    pair = WrapExpression(span(loop.target), f"{number}, ")
    if move.over.values:
        return [pair, ReplaceExpression(span(loop.iter), f"{ast.unparse(move.over.container)}.items()")]
    return [pair, WrapExpression(span(loop.iter), "enumerate(", ")")]


def _key(node: ast.stmt, move: VainMove, names: tuple[str, ...], taken: Names) -> str | None:
    """What the number or the key of an item is called: as it is, unless that says that nobody uses it, and nobody does."""
    key = move.over.key
    if key is not None and (not key.id.startswith("_") or key.id in reads([node])):
        return key.id
    return next((name for name in names if name not in taken), None)


def _moved(outline: Outline, move: VainMove, receiver: str) -> str:
    """The call that moves, of another receiver."""
    own = _text(outline, move.call.func.value) if isinstance(move.call.func, ast.Attribute) else ""
    return receiver + _text(outline, move.call).removeprefix(own)


def _text(outline: Outline, node: ast.expr) -> str:
    """What an expression is, on one line: its comments are kept apart."""
    text = outline.source.segment(outline.source.span(node))
    return ast.unparse(node) if "\n" in text else text
