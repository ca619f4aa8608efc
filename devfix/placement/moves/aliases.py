"""Aliases: names for what an object or a container keeps, through which that is written to; a copy would not be kept."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.torch_model.names import is_in_place
from devfix.placement.text.naming import is_path

#: What gives the same memory under another name.
_VIEWS = frozenset(
    {
        "detach",
        "view",
        "reshape",
        "flatten",
        "squeeze",
        "unsqueeze",
        "transpose",
        "permute",
        "t",
        "select",
        "narrow",
    }
)


def is_written(outline: Outline, statement: ast.Assign) -> bool:
    """Whether ``s = self.shadow[key]`` gives a name to what is kept elsewhere, to which ``s.add_(x)`` or the like writes."""
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or not _is_kept(statement.value):
        return False
    function = outline.function_of(target)
    around = function if function is not None else outline.source.tree
    return any(is_written_at(outline, node) for node in outline.occurrences(around, target.id))


def written_path(outline: Outline, node: ast.expr) -> str | None:
    """``self.shadow[key]`` of ``self.shadow[key].mul_(d)``, where a method writes to that: a tensor in each run."""
    if not _is_called_in_place(outline, outline.parents[node]):
        return None
    while (receiver := _receiver(node)) is not None:
        node = receiver
    return ast.unparse(node) if is_path(node, ast.Name, ast.Constant) else None


def _receiver(node: ast.expr) -> ast.expr | None:
    """What a method that writes in place is called on, which is what it returns; None for anything else."""
    method = node.func if isinstance(node, ast.Call) else None
    return method.value if isinstance(method, ast.Attribute) and is_in_place(method.attr) else None


def _is_kept(value: ast.expr) -> bool:
    """Whether an expression gives an attribute or an entry itself, or a view of it."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _VIEWS:
        value = value.func.value
    return isinstance(value, (ast.Attribute, ast.Subscript))


def is_written_at(outline: Outline, name: ast.AST) -> bool:
    """Whether a name stands where something is written to what it names, or to a view of that."""
    above = outline.parents[name]
    while (
        isinstance(above, ast.Attribute)
        and above.attr in _VIEWS
        and isinstance(outline.parents[above], ast.Call)
    ):
        name = outline.parents[above]
        above = outline.parents[name]
    if isinstance(above, ast.AugAssign):
        return above.target is name
    if isinstance(above, ast.Subscript) and above.value is name:
        around = outline.parents[above]
        return not isinstance(above.ctx, ast.Load) or (
            isinstance(around, ast.AugAssign) and around.target is above
        )
    return _is_called_in_place(outline, above)


def _is_called_in_place(outline: Outline, method: ast.AST) -> bool:
    """Whether a node is the method of a call that writes to what it is called on."""
    named = isinstance(method, ast.Attribute) and is_in_place(method.attr)
    return named and getattr(outline.parents[method], "func", None) is method
