"""Tuples of modules: what a module keeps in one is registered nowhere, as what it keeps in a list.

A tuple is a value, and remembers nothing. So the module keeps a list of the same modules beside it, which does, under a
name that no attribute has.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Obj, Ref, TupleValue
from devfix.analysis.nn.modules import is_module

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_BESIDE = "tuple "


def kept(
    interp: Interpreter, obj: Obj, name: str, value: TupleValue, target: ast.expr, statement: ast.AST | None
) -> Obj:
    """A module under construction whose attribute becomes ``value``, with the list beside it where that holds modules."""
    written = _written(statement)
    if written is None or not _holds_modules(interp, value):
        return dropped(obj, name)
    trail = (interp.site("other", written), interp.site("module-attribute", target))
    return obj.with_attr(f"{_BESIDE}{name}", interp.new(Obj("list", items=value.items, trail=trail)))


def dropped(obj: Obj, name: str) -> Obj:
    """The module without such a list: its attribute becomes something else."""
    beside = f"{_BESIDE}{name}"
    if beside not in obj.attrs:
        return obj
    return replace(obj, attrs={each: held for each, held in obj.attrs.items() if each != beside})


def _written(statement: ast.AST | None) -> ast.expr | None:
    """The expression by which a statement makes the tuple that it stores."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    called = value.func if isinstance(value, ast.Call) else None
    made = isinstance(value, ast.Tuple) or (isinstance(called, ast.Name) and called.id == "tuple")
    return value if made else None


def _holds_modules(interp: Interpreter, value: TupleValue) -> bool:
    modules = all(isinstance(item, Ref) and is_module(interp, item) for item in value.items)
    return bool(value.items) and not value.names and modules
