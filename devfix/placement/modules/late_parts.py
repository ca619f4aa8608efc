"""Late parts: what a call puts into a model that has moved by then moves with all of the model, behind that call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Origin
from devfix.placement.devices.reaching import is_wanted
from devfix.placement.modules.early_copy import called_as
from devfix.placement.text.dependence import dotted

#: What stands behind a name where a part of what it stands for is meant.
_BEHIND = (".", "[")
_NAMES = re.compile(r"[.\[]")


class Filling(NamedTuple):
    """A statement that hands a model, or a part of one, to what puts something into it."""

    statement: ast.Expr | ast.Assign
    #: What it hands over: ``model``, ``model.encoder``.
    given: str


def filling(facts: Facts, made: Origin, holder: Origin) -> Filling | None:
    """The statement ``inject(model)``, or ``model = inject(model)``, that hands the model to what makes the part.

    None where another one does so as well, or where the model had not moved when it got its name.
    """
    outline = facts.outline(holder.path)
    node = outline.expression_at(holder.span)
    if node is None or (made.path, made.scope) == (holder.path, holder.scope) or not has_moved(facts, holder):
        return None
    named = outline.statement_of(node)
    found = [each for each in _handing(facts, outline, made, holder) if _is_beside(outline, named, each)]
    only = found[0] if len(found) == 1 else None
    is_there = only is not None and (only.statement is named or outline.dominates(named, only.statement))
    return only if is_there else None


def has_moved(facts: Facts, holder: Origin) -> bool:
    """Whether the model was on the accelerator when it got its name: a part that is not came later."""
    name = _NAMES.split(holder.text)[0]
    known = facts.bindings(holder.path, holder.scope).get(name, [])
    return any(each.kind == "module" and is_wanted(each.device) for each in known)


def _handing(facts: Facts, outline: Outline, made: Origin, holder: Origin) -> Iterator[Filling]:
    """The statements that do nothing but hand what holds a part to a function that leads to where the part is made."""
    for call in (call for called in sorted(called_as(facts, made)) for call in outline.calls(called)):
        statement = outline.statement_of(call)
        given = next((name for name in map(dotted, call.args) if name and _holds(name, holder)), None)
        if given is not None and isinstance(statement, (ast.Expr, ast.Assign)) and statement.value is call:
            names = [given] if isinstance(statement, ast.Expr) else map(ast.unparse, statement.targets)
            if list(names) == [given] and not _moves_next(outline, statement, given):
                yield Filling(statement, given)


def _moves_next(outline: Outline, statement: ast.stmt, name: str) -> bool:
    """Whether what has a name moves right behind a statement already, and in vain."""
    block = outline.block_of(statement)
    following = block[block.index(statement) + 1 :][:1]
    return any(ast.unparse(each).startswith((f"{name}.to(", f"{name}.cuda(")) for each in following)


def _holds(name: str, holder: Origin) -> bool:
    """Whether ``model.encoder`` is, or holds, the part that ``holder`` tells of."""
    return holder.text == name or (holder.text.startswith(name) and holder.text[len(name)] in _BEHIND)


def _is_beside(outline: Outline, named: ast.stmt, other: Filling) -> bool:
    return outline.function_of(named) is outline.function_of(other.statement)
