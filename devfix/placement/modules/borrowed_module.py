"""Borrowed modules: what a function was given, and takes to the CPU for a look at it, goes back to where it was."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import own_nodes, parameters_of
from devfix.placement.text.chains import head
from devfix.placement.text.dependence import dotted


def is_one(outline: Outline, statement: ast.stmt, name: str | None) -> bool:
    """Whether a function moves a module that it was given, calls it there, and does not hand it out again.

    One that does nothing else is there to move it, and one that hands it out says where it is now.
    """
    function = outline.function_of(statement)
    if function is None or name not in {each.arg for each in parameters_of(function)}:
        return False
    nodes = list(own_nodes(function.body))
    calls = (node.func for node in nodes if isinstance(node, ast.Call) and node.lineno >= statement.lineno)
    if not any(dotted(_whole(called)) == name for called in calls if not isinstance(called, ast.Attribute)):
        return False
    given = (
        node.value for node in nodes if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None
    )
    return not any(_hands_out(value, name) for value in given)


def _whole(called: ast.expr) -> ast.AST:
    """``net`` of ``net.cpu().eval()(probe)``."""
    return head(called, (ast.Call,))


def _hands_out(value: ast.expr, name: str) -> bool:
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    return any(dotted(_whole(part)) == name for part in parts if not _is_called(part, name))


def _is_called(part: ast.expr, name: str) -> bool:
    """``net(probe)``, which is no module."""
    return (
        isinstance(part, ast.Call)
        and not isinstance(part.func, ast.Attribute)
        and dotted(_whole(part.func)) == name
    )
