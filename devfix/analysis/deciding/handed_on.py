"""Handed on: the functions of the project to which a function gives one of its own parameters as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Function, Value
from devfix.analysis.reuse import reads
from devfix.analysis.text import movers
from devfix.analysis.text.parts_within import calls_in
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def by(interp: Interpreter, function: Function, name: str) -> Iterator[tuple[Function, str]]:
    """The functions that are given a parameter, and what they call it; what makes an object is its constructor."""
    for func, place in _handings(function.node).get(name, ()):
        called = _called(interp, function, func)
        if called is None:
            continue
        if isinstance(place, str):
            yield called, place
            continue
        bound = called.owner is not None and called.kind != "staticmethod"
        parameters = positional_of(called.node)[1 if bound else 0 :]
        if place < len(parameters):
            yield called, parameters[place].arg


@remembered
def _handings(function: ast.AST) -> dict[str, list[tuple[ast.expr, int | str]]]:
    """For each name what is called with it in a function, and as which of its arguments."""
    found: dict[str, list[tuple[ast.expr, int | str]]] = {}
    for node in calls_in(function):
        is_plain = not any(isinstance(arg, ast.Starred) for arg in node.args)
        for place, arg in movers.arguments(node):
            if isinstance(arg, ast.Name) and (is_plain or isinstance(place, str)):
                found.setdefault(arg.id, []).append((node.func, place))
    return found


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
