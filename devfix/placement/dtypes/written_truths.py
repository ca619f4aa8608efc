"""Written truths: what is made of zeros or ones, and gets nothing but ``True`` and ``False`` written to it, is a mask."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, Operand, Origin, SetKeyword
from devfix.placement.devices.device_expression import place_at
from devfix.placement.text.dependence import dotted

_MAKERS = frozenset("zeros ones zeros_like ones_like".split())


def at_factories(facts: Facts, operand: Operand) -> tuple[FileEdit, ...]:
    """``torch.zeros(n, dtype=torch.bool)`` where a mask is made, if all that it may be are made as that."""
    made = dict.fromkeys(trail[0] for trail in (operand.trail, *operand.roots) if trail)
    edits = [_told(facts, origin) for origin in made]
    return tuple(edit for edit in edits if edit is not None) if None not in edits else ()


def _told(facts: Facts, origin: Origin) -> FileEdit | None:
    place = place_at(facts, origin.path, origin.span)
    call = place.node if place is not None else None
    if (
        place is None
        or not isinstance(call, ast.Call)
        or any(word.arg in ("dtype", None) for word in call.keywords)
    ):
        return None
    package, _, maker = (dotted(call.func) or "").rpartition(".")
    if maker not in _MAKERS or not package or any(isinstance(arg, ast.Starred) for arg in call.args):
        return None
    statement = place.outline.statement_of(call)
    if not isinstance(statement, ast.Assign) or statement.value is not call or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not _gets_truths(place.outline, statement, target.id):
        return None
    return FileEdit(place.path, SetKeyword(origin.span, "dtype", f"{package}.bool"))


def _gets_truths(outline: Outline, made: ast.Assign, name: str) -> bool:
    """Whether the function writes to entries of a name, and each time a truth; and binds the name once."""
    scope = outline.function_of(made) or outline.source.tree
    written = [node for node in outline.occurrences(scope, name) if _is_written(outline, node)]
    values = [getattr(outline.statement_of(node), "value", None) for node in written]
    truths = (isinstance(value, ast.Constant) and isinstance(value.value, bool) for value in values)
    plain = all(isinstance(outline.statement_of(node), ast.Assign) for node in written)
    return bool(written) and plain and all(truths) and list(outline.names_in(scope).binders(name)) == [made]


def _is_written(outline: Outline, node: ast.Name) -> bool:
    """Whether a name stands for what entries of are set: ``name[i] = ...``."""
    parent = outline.parents[node]
    return isinstance(parent, ast.Subscript) and parent.value is node and not isinstance(parent.ctx, ast.Load)
