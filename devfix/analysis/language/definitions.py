"""Definitions: the functions and classes that statements make."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Class, Function, Value
from devfix.analysis.language.frames import Frame
from devfix.analysis.text.scope_names import defaults_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def make_function(interp: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Function:
    """The function a definition makes, with its defaults evaluated now."""
    frame = interp.frame
    name = getattr(node, "name", "<lambda>")
    scope = f"{frame.scope}.{name}" if frame.scope else name
    defaults = tuple((parameter.arg, interp.eval(default)) for parameter, default in defaults_of(node.args))
    closure = frame.parent if frame.kind == "class" and frame.parent is not None else frame.id
    return Function(
        node, frame.path, scope, closure, defaults, frame.owner if frame.kind == "class" else None
    )


def make_class(interp: Interpreter, node: ast.ClassDef, bases: tuple[Value, ...]) -> Class:
    """Execute a class body in a frame of its own."""
    outer = interp.frame
    scope = f"{outer.scope}.{node.name}" if outer.scope else node.name
    made = Class(node, outer.path, scope, interp.fresh(), bases)
    parent = outer.parent if outer.kind == "class" and outer.parent is not None else outer.id
    frame = Frame(made.frame, outer.path, scope, "class", parent, outer.module, owner=made)
    with interp.entered(frame):
        interp.run(node.body)
    return made
