"""Own attributes: what methods name and assign of the object that they belong to."""

from __future__ import annotations

import ast

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Obj, Ref, Tensor, Value
from devfix.analysis.text.nodes_below import below
from devfix.analysis.text.syntax import remembered

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


@remembered
def of(method: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes of ``self`` that a method names, and those that it assigns.

    What ``super().cuda()`` gives is the object, too.
    """
    found: list[tuple[str, ast.Attribute]] = []
    selves = {"self"}
    pending: list[ast.AST] = [method]
    while pending:  # most of a method are names, constants and attributes, which ``walk`` is not needed for
        node = pending.pop()
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            continue
        if isinstance(node, ast.Attribute):
            holder = node.value
            if isinstance(holder, ast.Name):
                found.append((holder.id, node))
            else:
                pending.append(holder)
        else:
            if isinstance(node, ast.Assign) and is_of_base(node.value):
                selves.update(target.id for target in node.targets if isinstance(target, ast.Name))
            pending += below(node)
    own = [node for name, node in found if name in selves]
    return (
        frozenset(node.attr for node in own),
        frozenset(node.attr for node in own if isinstance(node.ctx, ast.Store)),
    )


@remembered
def set_by(cls: ast.ClassDef) -> frozenset[str]:
    """The attributes that methods of a class assign."""
    methods = (node for node in cls.body if isinstance(node, _METHODS))
    return frozenset[str]().union(*(of(method)[1] for method in methods))


def is_of_base(node: ast.expr) -> bool:
    """Whether an expression is ``super().method(...)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    base = node.func.value
    return isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super"


def without(obj: Obj, changing: frozenset[str]) -> Obj:
    """An object of which nothing is known any more of these plain attributes."""
    if changing.isdisjoint(obj.attrs):
        return obj
    attrs = {
        name: UNKNOWN if name in changing and name not in obj.buffers and _is_plain(value) else value
        for name, value in obj.attrs.items()
    }
    return replace(obj, attrs=attrs)


def _is_plain(value: Value) -> bool:
    return not isinstance(value, Ref) and not (isinstance(value, Tensor) and value.parameter)
