"""Counted rows: tests of how much a tensor holds, ``if len(boxes) == 0:``, which is empty at times and at others not.

An object whose own length is that of a tensor is asked the same by ``len(boxes_with_labels)``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Function, Obj, Tensor
from devfix.analysis.nn.modules import external_bases
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import called, remembered

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def are_asked_for(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test compares with a number how many rows a tensor has, or an object that the function is given."""
    asked = _measured(test)
    if asked is None:
        return False
    value = interp.eval(asked)
    if isinstance(value, Tensor):
        return True
    obj = interp.obj_of(value)
    return obj is not None and _is_given(interp, asked) and _has_length_of_tensor(interp, obj)


@remembered
def _measured(test: ast.expr) -> ast.expr | None:
    """The ``x`` of ``len(x) == 0``, ``0 < len(x)`` and ``not len(x)``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = (test.left, test.comparators[0])
        numbers = [each for each in sides if isinstance(each, ast.Constant) and type(each.value) is int]
        test = sides[sides[0] in numbers]
        if len(numbers) != 1:
            return None
    if not isinstance(test, ast.Call) or len(test.args) != 1 or not isinstance(test.func, ast.Name):
        return None
    return test.args[0] if test.func.id == "len" and isinstance(test.args[0], _NAMED) else None


_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


def _is_given(interp: Interpreter, asked: ast.expr) -> bool:
    """Whether it is a parameter, or what each round of a loop brings: the others may be of another length."""
    function, name = interp.frame.function, getattr(asked, "id", "")
    if function is None or not name:
        return False
    given = {each.arg for each in parameters_of(function.node)}
    return name in given or any(name in loop.names for loop in interp.frame.loops)


def _has_length_of_tensor(interp: Interpreter, obj: Obj) -> bool:
    """Whether the length of an object, which is no dataset, is how much a tensor holds that it keeps."""
    if not isinstance(obj.cls, Class) or any(
        base.startswith("torch.utils.data.") for base in external_bases(interp, obj.cls)
    ):
        return False
    method = classes.find(interp, obj.cls, "__len__")
    kept = _kept_tensor(method.node) if isinstance(method, Function) else ""
    return isinstance(obj.attrs.get(kept), Tensor)


@remembered
def _kept_tensor(method: ast.AST) -> str:
    """The ``boxes`` of ``return len(self.boxes)``, ``self.boxes.numel()`` and ``self.boxes.shape[0]``; "" where it is another length."""
    [*_, last] = getattr(method, "body", None) or [None]
    size = last.value if isinstance(last, ast.Return) else None
    if isinstance(size, ast.Call) and called(size) == "int" and size.args:
        size = size.args[0]
    if isinstance(size, ast.Call) and called(size) == "len" and size.args:
        kept: ast.expr | None = size.args[0]
    else:
        while isinstance(size, ast.Subscript):
            size = size.value
        measure = size.func if isinstance(size, ast.Call) else size
        sized = isinstance(measure, ast.Attribute) and measure.attr in ("shape", "size", "numel")
        kept = measure.value if sized and isinstance(measure, ast.Attribute) else None
    own = isinstance(kept, ast.Attribute) and isinstance(kept.value, ast.Name) and kept.value.id == "self"
    return kept.attr if own and isinstance(kept, ast.Attribute) else ""
