"""Moves in a loop that keeps none of what it moves: the copies are given to what the loop goes through."""

from __future__ import annotations

import ast
from collections.abc import Container

from devfix.analysis.text.moving_loops import VainMove, places_in, vain_move, way_to_keep
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.vocabulary import every_name_in
from devfix.findings import (
    Applicability,
    BindResult,
    DeleteStatement,
    FileEdit,
    Fix,
    InsertBefore,
    Origin,
    ReplaceExpression,
    WrapExpression,
)
from devfix.origin_kinds import IN_TUPLE, IN_TURN

#: What the number of an item can be called.
_NUMBERS = ("i", "index", "number", "place")


def kept(outline: Outline, move: Origin) -> Fix | None:
    """``batch = [x.to(device) for x in batch]`` in place of the loop, ``batch[i] = x.to(device)`` in it, or ``x, y = ...``."""
    statement = outline.statement_at(move.span)
    around = outline.around(statement) if statement is not None else ()
    loop = next((node for node in around if isinstance(node, ast.For)), None)
    found = vain_move(loop) if loop is not None else None
    if loop is None or found is None:
        return None
    scope = outline.function_of(loop) or outline.source.tree
    match way_to_keep(scope, loop, move.kind):
        case "in place":
            return _in_place(outline, loop, found, every_name_in(scope))
        case "anew":
            return _anew(outline, loop, found, move.kind)
    return None


def _anew(outline: Outline, loop: ast.For, move: VainMove, kind: str) -> Fix:
    """A statement in the place of the loop, below the comments that stand in that."""
    places = [ast.unparse(place) for place in places_in(loop.iter) or [loop.iter]]
    if kind == IN_TURN:
        code = ", ".join(_moved(outline, move, place) for place in places)
    else:
        each = _each(outline, loop, move)
        code = f"tuple({each})" if kind == IN_TUPLE else f"[{each}]"
    source, span, kept = outline.source, outline.source.span(loop), ", ".join(places)
    text = "\n".join([*source.comments(span), f"{kept} = {code}"])
    edits = (FileEdit(source.path, InsertBefore(span, text)), FileEdit(source.path, DeleteStatement(span)))
    return Fix(f"keep the results in `{kept}`", edits, Applicability.SAFE)


def _each(outline: Outline, loop: ast.For, move: VainMove) -> str:
    """The copies, one by one; what the loop leaves alone is among them as it is."""
    name = ast.unparse(loop.target)
    moved = _moved(outline, move, name)
    if move.test is not None:
        moved = f"{moved} if {_text(outline, move.test.test)} else {name}"
    return f"{moved} for {name} in {_text(outline, loop.iter)}"


def _in_place(outline: Outline, loop: ast.For, move: VainMove, taken: Container[str | None]) -> Fix | None:
    """Each item of the list gets its copy by its number."""
    number = next((name for name in _NUMBERS if name not in taken), None)
    if number is None:
        return None
    source = outline.source
    entry, statement = f"{ast.unparse(loop.iter)}[{number}]", move.statement
    edits = [
        WrapExpression(source.span(loop.target), f"{number}, "),
        WrapExpression(source.span(loop.iter), "enumerate(", ")"),
        ReplaceExpression(source.span(statement.targets[0]), entry)
        if isinstance(statement, ast.Assign)
        else BindResult(source.span(statement), entry),
    ]
    title = f"keep the result in `{entry}`"
    return Fix(title, tuple(FileEdit(source.path, edit) for edit in edits), Applicability.SAFE)


def _moved(outline: Outline, move: VainMove, receiver: str) -> str:
    """The call that moves, of another receiver."""
    own = _text(outline, move.call.func.value) if isinstance(move.call.func, ast.Attribute) else ""
    return receiver + _text(outline, move.call).removeprefix(own)


def _text(outline: Outline, node: ast.expr) -> str:
    """What an expression is, on one line: its comments are kept apart."""
    text = outline.source.segment(outline.source.span(node))
    return ast.unparse(node) if "\n" in text else text
