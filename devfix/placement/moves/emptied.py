"""Emptied statements: ``x = to_device(x, device)`` goes where its call does, as no ``x = x`` is to be left."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import DeleteStatement, DropCall, FileEdit, ReplaceExpression, Span
from devfix.placement.text.dependence import dotted

#: What can be asked without anything happening.
_QUIET = (ast.Name, ast.Attribute)


def without_idle(facts: Facts, edits: Sequence[FileEdit]) -> tuple[FileEdit, ...]:
    """Edits that put arguments, or objects of methods, in the place of calls.

    Statements that would give names what they have are deleted instead, with an ``if`` around them that guards nothing else.
    """
    taken: dict[str, dict[Span, str]] = {}
    for each in edits:
        if isinstance(each.edit, ReplaceExpression):
            taken.setdefault(each.path, {})[each.edit.span] = each.edit.code
        elif isinstance(each.edit, DropCall):
            call = facts.outline(each.path).expression_at(each.edit.span)
            method = call.func if isinstance(call, ast.Call) else None
            left = dotted(method.value) if isinstance(method, ast.Attribute) else None
            if left is not None:
                taken.setdefault(each.path, {})[each.edit.span] = left
    settled = dict.fromkeys(_settled(facts, each, taken.get(each.path, {})) for each in edits)
    return tuple(dict.fromkeys(_whole(facts, each, settled) for each in settled))


def _whole(facts: Facts, edit: FileEdit, edits: Mapping[FileEdit, None]) -> FileEdit:
    """The deletion of an ``if`` of which all statements go, where what it asks does nothing, for that of one of them."""
    if not isinstance(edit.edit, DeleteStatement):
        return edit
    outline = facts.outline(edit.path)
    statement = outline.statement_at(edit.edit.span)
    around = outline.parents.get(statement) if statement is not None else None
    if not isinstance(around, ast.If) or around.orelse or not isinstance(around.test, _QUIET):
        return edit
    span = outline.source.span(around)
    gone = [FileEdit(edit.path, DeleteStatement(outline.source.span(each))) for each in around.body]
    if (
        around not in outline.block_of(around)
        or is_elif(outline, around)
        or "#" in outline.source.segment(span)
    ):
        return edit
    return FileEdit(edit.path, DeleteStatement(span)) if all(each in edits for each in gone) else edit


def is_elif(outline: Outline, statement: ast.If) -> bool:
    """Whether an ``if`` is the ``elif`` of another one."""
    around = outline.parents.get(statement)
    return isinstance(around, ast.If) and statement in around.orelse


def _settled(facts: Facts, edit: FileEdit, taken: Mapping[Span, str]) -> FileEdit:
    outline, gone = facts.outline(edit.path), edit.edit
    statement = _idle(outline, gone.span, taken) if isinstance(gone, (ReplaceExpression, DropCall)) else None
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
    given = [taken.get(value) for value in spans]
    return statement if None not in (*named, *given) and _listed(named) == _listed(given) else None


def _listed(codes: Iterable[str | None]) -> str:
    """Expressions as one list, whether they stood there one by one or not."""
    return ", ".join(map(str, codes))


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]
