"""Filled later: a list or dict behind a name that gets more once something was made of what it holds."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.text.outline import Outline

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_CHANGING = frozenset("append extend insert remove pop clear sort reverse update setdefault popitem".split())


def is_filled_later(outline: Outline, name: ast.Name) -> bool:
    """Whether what a name stands for is changed by it behind the place where it stands, or there in the next round."""
    scope = outline.function_of(name) or outline.source.tree
    named = outline.occurrences(scope, name.id)
    changes = [each for each in named if _is_changed(outline, each)]
    end = outline.statement_of(name).end_lineno or name.lineno
    if any(each.lineno > end for each in changes):
        return True
    loops = [each for each in outline.around(name) if isinstance(each, _LOOPS)]
    bound = [each for each in named if isinstance(each.ctx, ast.Store)]
    return any(_holds(loop, changes) and not _holds(loop, bound) for loop in loops)


def _is_changed(outline: Outline, name: ast.Name) -> bool:
    above = outline.parents.get(name)
    if isinstance(above, ast.Subscript):
        return above.value is name and not isinstance(above.ctx, ast.Load)
    return isinstance(above, ast.AugAssign) or (isinstance(above, ast.Attribute) and above.attr in _CHANGING)


def _holds(loop: ast.stmt, names: Iterable[ast.Name]) -> bool:
    return any(loop.lineno <= each.lineno <= (loop.end_lineno or loop.lineno) for each in names)
