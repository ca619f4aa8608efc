"""Made alike: what is made as something else is, and handed on in the same place, has to be where that is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.outline import Outline

#: Which function gets a value, and as which of its arguments.
Given = tuple[str, int]


def others(outline: Outline, made: ast.stmt) -> Iterator[tuple[ast.Assign, str]]:
    """``test = batches(c, n)`` beside ``val = batches(b, n)``, where ``evaluate(test)`` follows on ``evaluate(val)``.

    Nobody may know what the second call meets, as a model that comes from a file; it is what the first one met.
    """
    maker, name = _made_by(made)
    if not maker:
        return
    given = {each for each in _uses(outline, name) if each is not None}
    for statement in outline.block_of(made):
        called, other = _made_by(statement)
        if called != maker or other == name or not isinstance(statement, ast.Assign):
            continue
        uses = _uses(outline, other)
        once = len(outline.names_in(outline.source.tree).binders(other)) == 1
        if uses and once and uses <= given:
            yield statement, other


def _made_by(statement: ast.stmt) -> tuple[str, str]:
    """The function whose result a statement gives a name, and that name; ("", "") for any other statement."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1:
        return "", ""
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or not isinstance(value, ast.Call):
        return "", ""
    return (value.func.id, target.id) if isinstance(value.func, ast.Name) else ("", "")


def _uses(outline: Outline, name: str) -> set[Given | None]:
    """Where a file hands on what has a name; None stands for any other use."""
    found = outline.occurrences(outline.source.tree, name)
    return {_given(outline, node) for node in found if not isinstance(node.ctx, ast.Store)}


def _given(outline: Outline, node: ast.Name) -> Given | None:
    call = outline.parents[node]
    if not isinstance(call, ast.Call) or node not in call.args or not isinstance(call.func, ast.Name):
        return None
    return call.func.id, call.args.index(node)
