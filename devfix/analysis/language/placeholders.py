"""Placeholders: tensors that a signature gives where there are none, as scripted functions cannot be given None."""

from __future__ import annotations

import ast

from devfix.analysis.domain.values import Function, Tensor, TupleValue, Value
from devfix.analysis.text.scope_names import defaults_of
from devfix.analysis.text.syntax import called

#: What makes tensors of the sizes it is given.
_SIZED = frozenset({"zeros", "ones", "empty", "rand", "randn", "full", "Tensor", "FloatTensor", "LongTensor"})


def is_default(function: Function, name: str, value: Value | None) -> bool:
    """Whether a parameter's default says that nothing was given: a tensor without elements, or ``torch.tensor(0)``.

    The function asks for that before it uses it, or all who call it give something else.
    """
    if not isinstance(value, (Tensor, TupleValue)):
        return False
    made = (default for parameter, default in defaults_of(function.node.args) if parameter.arg == name)
    return _is_nothing(value, next(made, None))


def _is_nothing(value: Value, made: ast.expr | None) -> bool:
    if isinstance(value, TupleValue):
        if not isinstance(made, ast.Tuple) or len(made.elts) != len(value.items) or not made.elts:
            return False
        return all(_is_nothing(item, part) for item, part in zip(value.items, made.elts, strict=True))
    if not isinstance(value, Tensor):
        return False
    if value.empty or not isinstance(made, ast.Call) or not made.args:
        return value.empty > 0
    last = called(made)
    if last in _SIZED:
        sizes = made.args[0].elts if isinstance(made.args[0], (ast.Tuple, ast.List)) else made.args
        return any(map(_is_zero, sizes))
    return last == "tensor" and _is_zero(made.args[0])


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 0
