"""What branches do with a name: in which of them it is bound, and what their tests ask about it."""

from __future__ import annotations

import ast

from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, in_rows
from devfix.placement.devices import boundness
from devfix.placement.text import chains

#: Functions that tell of what kind a value is.
_KINDS = ("is_tensor", "isinstance", "hasattr", "type")


def with_other_branches(outline: Outline, statement: ast.stmt, name: str) -> ast.stmt:
    """The ``if`` around a statement, where each of its branches binds the name, to anything but None or a number."""
    while isinstance(around := outline.parents[statement], ast.If) and boundness.binds_always(around, name):
        if any(_gives_constant(part, name) for part in in_rows(around) if isinstance(part, ast.Assign)):
            break  # a switch may leave this branch out today, and not tomorrow
        statement = around
    return statement


def _gives_constant(statement: ast.Assign, name: str) -> bool:
    """Whether a name gets a constant, by itself or beside others: ``x, mask = x, None``."""
    if isinstance(statement.value, ast.Constant):
        return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
    names = (part for part in in_rows(statement.targets[0]) if isinstance(part, ast.Name) and part.id == name)
    return any(isinstance(paired(statement, part), ast.Constant) for part in names)


def with_second_try(outline: Outline, statement: ast.stmt, names: set[str]) -> ast.stmt:
    """The ``try`` around a statement, where a handler unpacks anew (a loader that came to its end, say)."""
    around = outline.parents[statement]
    if not isinstance(around, ast.Try) or statement not in around.body or around.orelse or around.finalbody:
        return statement
    again = [node for handler in around.handlers for node in in_rows(handler)]
    stored = {node.id for node in again if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return statement if stored.isdisjoint(names) else around


def branches_of(test: ast.If) -> list[list[ast.stmt]]:
    """What is done where one of the tests of an ``if`` and its ``elif`` holds, and last what where none does."""
    if len(test.orelse) == 1 and isinstance(further := test.orelse[0], ast.If):
        return [test.body, *branches_of(further)]
    return [test.body, test.orelse]


def asks_what(test: ast.AST, name: str) -> bool:
    """Whether a test asks of what kind a name is: ``torch.is_tensor(name)``, ``isinstance(name, Tensor)``."""
    return name in _asked_of(test)


@noted
def _asked_of(test: ast.AST) -> frozenset[str]:
    calls = (node for node in in_rows(test) if isinstance(node, ast.Call) and node.args)
    return frozenset(chains.name_of(call.args[0]) for call in calls if called(call) in _KINDS)


def paired(statement: ast.Assign, name: ast.AST) -> ast.expr | None:
    """What of ``f(), g()`` a name gets in ``a, b = f(), g()``."""
    [target], value = statement.targets[:1], statement.value
    both = (ast.Tuple, ast.List)
    if not isinstance(target, both) or not isinstance(value, both) or len(target.elts) != len(value.elts):
        return None
    if any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)):
        return None
    return next((own for part, own in zip(target.elts, value.elts, strict=True) if part is name), None)
