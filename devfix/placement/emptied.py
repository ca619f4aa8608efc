"""Emptied statements: ``x = to_device(x, device)`` goes where its call does, as no ``x = x`` is to be left."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import DeleteStatement, FileEdit, ReplaceExpression, Span
from devfix.placement.dependence import dotted


def without_idle(facts: Facts, edits: Sequence[FileEdit]) -> tuple[FileEdit, ...]:
    """Edits that put arguments in the place of calls; statements that would give names what they have are deleted instead."""
    taken: dict[str, dict[Span, str]] = {}
    for each in edits:
        if isinstance(each.edit, ReplaceExpression):
            taken.setdefault(each.path, {})[each.edit.span] = each.edit.code
    return tuple(dict.fromkeys(_settled(facts, each, taken.get(each.path, {})) for each in edits))


def _settled(facts: Facts, edit: FileEdit, taken: Mapping[Span, str]) -> FileEdit:
    outline, replaced = facts.outline(edit.path), edit.edit
    statement = _idle(outline, replaced.span, taken) if isinstance(replaced, ReplaceExpression) else None
    if statement is None:
        return edit
    return FileEdit(edit.path, DeleteStatement(outline.source.span(statement)))


def _idle(outline: Outline, span: Span, taken: Mapping[Span, str]) -> ast.Assign | None:
    """The assignment of a function around a place, where all that it gives to names is what they stand for."""
    statement = outline.statement_at(span)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    if outline.function_of(statement) is None or isinstance(outline.parents.get(statement), ast.ClassDef):
        return None
    named = [dotted(target) for target in _parts(statement.targets[0])]
    spans = [outline.source.span(value) for value in _parts(statement.value)]
    return statement if named == [taken.get(value) for value in spans] and None not in named else None


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]
