"""Own attributes: what methods name and assign of the object that they belong to."""

from __future__ import annotations

import ast

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, Obj, Ref, Tensor, Value
from devfix.analysis.text.parts_within import attributes_in, calls_in
from devfix.analysis.text.syntax import remembered, statements_in
from devfix.analysis.text.targets import targets

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


@remembered
def named_by(method: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The attributes of ``self`` that a method names."""
    selves = _selves(method)
    return frozenset(
        part.attr
        for part in attributes_in(method)
        if isinstance(part.value, ast.Name) and part.value.id in selves
    )


@remembered
def assigned_by(method: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The attributes of ``self`` that a method assigns: statements do, so none of its expressions is looked at."""
    selves = _selves(method)
    given = (target for statement in statements_in(method) for target in targets(statement))
    return frozenset(
        target.attr
        for target in given
        if isinstance(target, ast.Attribute)
        and isinstance(target.ctx, ast.Store)
        and isinstance(target.value, ast.Name)
        and target.value.id in selves
    )


@remembered
def _selves(method: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names that a method has for its object: what ``super().cuda()`` gives is the object, too."""
    assigned = (
        node for node in statements_in(method) if isinstance(node, ast.Assign) and is_of_base(node.value)
    )
    names = (target for node in assigned for target in node.targets)
    return frozenset(["self", *(target.id for target in names if isinstance(target, ast.Name))])


@remembered
def set_by(cls: ast.ClassDef) -> frozenset[str]:
    """The attributes that methods of a class assign."""
    methods = (node for node in cls.body if isinstance(node, _METHODS))
    return frozenset[str]().union(*(assigned_by(method) for method in methods))


@remembered
def methods_called(method: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[tuple[str, str], ...]:
    """Which methods a method calls of ``self``, and of what attribute of it: ``("", "m")`` is ``self.m()``, ``("a", "m")`` ``self.a.m()``."""
    called = (call.func for call in calls_in(method) if isinstance(call.func, ast.Attribute))
    found = {(_own_name(func.value), func.attr): None for func in called}
    return tuple((holder, name) for holder, name in found if holder is not None)


def _own_name(value: ast.expr) -> str | None:
    """The attribute of ``self`` that an expression is, "" for ``self``; None for anything else."""
    if isinstance(value, ast.Attribute) and _own_name(value.value) == "":
        return value.attr
    return "" if isinstance(value, ast.Name) and value.id == "self" else None


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
