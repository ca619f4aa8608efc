"""Shared moves: what moves one value after the other, or makes tensors of them, is no place to cast one of them."""

from __future__ import annotations

import ast

from devfix.analysis.text.scope_names import COMPREHENSIONS, parameters_of, targets
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices.boundness import contains
from devfix.placement.devices.device_expression import Place


def serves_others(move: Place, moved: ast.expr, use: Place | None) -> bool:
    """Whether other values are moved there as well: those of a batch, or what else a helper is given.

    Where the value is used within, the others are used like it.
    """
    if not isinstance(moved, ast.Name):
        return False
    around = _giver(move, moved)
    return around is not None and not (
        use is not None and use.path == move.path and contains(move.outline, around, use.node)
    )


def makes_others(made: Place, use: Place | None) -> bool:
    """Whether an expression makes tensors of other values as well: one after the other, or whatever a helper is given.

    What the expression itself goes through are numbers of the one tensor; of rows it may take one part alone.
    """
    names = [
        node for node in in_rows(made.node) if isinstance(node, ast.Name) and not _is_of_rows(made, node)
    ]
    given = [(name, giver) for name in names if (giver := _giver(made, name)) is not None]
    if any(_names_part(made.outline.parents[name], name) for name, _ in given):
        return True  # whichever part whoever calls it asks for
    for around in (giver for _, giver in given if not contains(made.outline, made.node, giver)):
        spec = parameters_of(around) if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef)) else ()
        within = use is not None and use.path == made.path and contains(made.outline, around, use.node)
        if len(spec) < 2 and not within:
            return True
    return False


def _is_of_rows(made: Place, name: ast.Name) -> bool:
    """Whether a name stands for rows, of each of which one part is taken: ``[row["tags"] for row in rows]``."""
    around = made.outline.parents[name]
    if not isinstance(around, ast.comprehension) or around.iter is not name:
        return False
    if not isinstance(around.target, ast.Name):
        return isinstance(around.target, ast.Tuple)
    comprehension = made.outline.parents[around]
    reads = [node for node in in_rows(comprehension) if isinstance(node, ast.Name)]
    rows = [node for node in reads if node.id == around.target.id and isinstance(node.ctx, ast.Load)]
    return rows != [] and all(_is_part(made.outline.parents[row], row) for row in rows)


def _is_part(node: ast.AST, row: ast.Name) -> bool:
    named = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    return (named or isinstance(node, ast.Attribute)) and getattr(node, "value", None) is row


def _names_part(node: ast.AST, name: ast.Name) -> bool:
    """Whether a name tells which part is taken: ``row[name]``, ``row.get(name)``, ``getattr(row, name)``."""
    if isinstance(node, ast.Subscript):
        return node.slice is name
    called = node.func if isinstance(node, ast.Call) and name in node.args else None
    return getattr(called, "attr", "") == "get" or getattr(called, "id", "") == "getattr"


def _giver(move: Place, moved: ast.Name) -> ast.AST | None:
    """The comprehension, loop over a mapping or function that gives a name one value after the other."""
    node: ast.AST = moved
    while not isinstance(node := move.outline.parents[node], ast.Module):
        if isinstance(node, COMPREHENSIONS):
            if any(moved.id in targets(each.target) for each in node.generators):
                return node
        elif isinstance(node, (ast.For, ast.AsyncFor)) and moved.id in targets(node.target):
            return node if _is_mapping(node.iter) else None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return node if any(each.arg == moved.id for each in parameters_of(node)) else None
    return None


def _is_mapping(node: ast.expr) -> bool:
    """Whether what is gone over is what a mapping holds: a batch, with the parts under their names."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("items", "values")
    )
