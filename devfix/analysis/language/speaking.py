"""Speaking: what an object of the project does when it is printed or put into a text."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Function, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What ``str`` asks for first, and what stands in for it.
_AS_TEXT = ("__str__", "__repr__")


def speak(interp: Interpreter, value: Value, node: ast.expr, *, as_shown: bool = False) -> None:
    """Run the ``__str__`` of an object, or its ``__repr__`` (``as_shown``: that alone)."""
    obj = interp.obj_of(value)
    if obj is None or obj.kind != "instance" or not isinstance(obj.cls, Class):
        return
    for name in _AS_TEXT[as_shown:]:
        found = classes.find(interp, obj.cls, name)
        if isinstance(found, Function):
            interp.call_function(found, [value], node)
            return
