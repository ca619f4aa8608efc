"""The same words: what moves by a choice, or by a function of the program, has its siblings moved by a copy of that."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter
from devfix.placement.devices import move_guards
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import moving_function

Edits = tuple[FileEdit, ...]


def after(facts: Facts, place: Place, statement: ast.Assign, sibling: str) -> Edits:
    """``y = y.cuda() if use_cuda else y`` after ``x = x.cuda() if use_cuda else x``, ``y = to_var(y)`` after ``x = to_var(x)``.

    The place is that of the name ``y``, and the statement the one that gives ``x`` its name again.
    """
    value, node = statement.value, place.node
    if not isinstance(node, ast.Name) or not (
        move_guards.is_choice(value) or moving_function.is_call(facts, place, value)
    ):
        return ()
    named = [part for part in in_rows(value) if isinstance(part, ast.Name)]
    if any(part.id == node.id for part in named) or not any(part.id == sibling for part in named):
        return ()
    source = place.outline.source
    whole, code = source.span(value), source.segment(source.span(value))
    if whole.line != whole.end_line or not code.isascii():
        return ()
    for part in sorted(named, key=lambda part: -part.col_offset):
        if part.id == sibling:
            start = part.col_offset - value.col_offset
            code = code[:start] + node.id + code[start + len(sibling) :]
    edit = InsertAfter(source.span(statement), f"{node.id} = {code}", source.span(node).column)
    return (FileEdit(place.path, edit),)
