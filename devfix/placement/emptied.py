"""Emptied statements: where a move was all that an assignment did, it goes with the move: no ``x = x`` is left."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import DeleteStatement, DropCall, FileEdit, ReplaceExpression, Span
from devfix.placement.dependence import dotted

_Removal = DropCall | ReplaceExpression


def without_idle(facts: Facts, edits: Sequence[FileEdit]) -> tuple[FileEdit, ...]:
    """Edits that take moves away; statements that would give names what they have are deleted instead."""
    taken: dict[str, dict[Span, _Removal]] = {}
    for each in edits:
        if isinstance(each.edit, _Removal):
            taken.setdefault(each.path, {})[each.edit.span] = each.edit
    return tuple(dict.fromkeys(_settled(facts, each, taken.get(each.path, {})) for each in edits))


def _settled(facts: Facts, edit: FileEdit, taken: Mapping[Span, _Removal]) -> FileEdit:
    outline = facts.outline(edit.path)
    removal = edit.edit
    statement = _idle(outline, removal.span, taken) if isinstance(removal, _Removal) else None
    if statement is None:
        return edit
    return FileEdit(edit.path, DeleteStatement(outline.source.span(statement)))


def _idle(outline: Outline, span: Span, taken: Mapping[Span, _Removal]) -> ast.Assign | None:
    """The assignment of a function around a place, where all that it gives to names is what they stand for."""
    statement = outline.statement_at(span)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    if outline.function_of(statement) is None or isinstance(outline.parents.get(statement), ast.ClassDef):
        return None
    targets, values = _parts(statement.targets[0]), _parts(statement.value)
    named = [dotted(target) for target in targets]
    left = [_left(outline, value, taken) for value in values]
    return statement if named == left and None not in named else None


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _left(outline: Outline, value: ast.expr, taken: Mapping[Span, _Removal]) -> str | None:
    """The name that is left of a value after the edits, plain or dotted."""
    removal = taken.get(outline.source.span(value))
    if isinstance(removal, ReplaceExpression):
        return removal.code
    if removal is not None and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return dotted(value.func.value)
    return dotted(value)
