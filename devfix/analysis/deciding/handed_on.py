"""Handed on: the functions of the project to which a function gives one of its own parameters as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Function, Value
from devfix.analysis.reuse import reads
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import remembered, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def by(interp: Interpreter, function: Function, name: str) -> Iterator[tuple[Function, str]]:
    """The functions that are given a parameter, and what they call it; what makes an object is its constructor."""
    for call in _calls_with_names(function.node):
        called = _called(interp, function, call.func)
        if called is None:
            continue
        given = next((key.arg for key in call.keywords if _is_name(key.value, name)), None)
        place = next((at for at, arg in enumerate(call.args) if _is_name(arg, name)), None)
        plain = not any(isinstance(arg, ast.Starred) for arg in call.args)
        if given is None and place is not None and plain:
            bound = called.owner is not None and called.kind != "staticmethod"
            parameters = positional_of(called.node)[1 if bound else 0 :]
            given = parameters[place].arg if place < len(parameters) else None
        if given is not None:
            yield called, given


@remembered
def _calls_with_names(function: ast.AST) -> list[ast.Call]:
    """The calls in a function that have a name among their arguments."""
    return [
        node
        for node in walk(function)
        if isinstance(node, ast.Call)
        and any(isinstance(arg, ast.Name) for arg in [*node.args, *(key.value for key in node.keywords)])
    ]


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _called(interp: Interpreter, function: Function, func: ast.expr) -> Function | None:
    """What is called by the name of a variable of the module, as ``self.name`` or as ``super().name``."""
    found: Value | None = None
    if isinstance(func, ast.Name):
        found = reads.variable_of(interp, interp.module_frame(function.path), func.id)
    elif isinstance(func, ast.Attribute) and function.owner is not None:
        if _is_name(func.value, "self"):
            found = classes.find(interp, function.owner, func.attr)
        elif isinstance(func.value, ast.Call) and _is_name(func.value.func, "super"):
            found = classes.find_after(interp, function.owner, function.owner, func.attr)
    if isinstance(found, Class):
        found = classes.find(interp, found, "__init__")
    return found if isinstance(found, Function) else None
