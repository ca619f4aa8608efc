"""Operators that classes of the project define: ``__add__``, ``__rmul__``, ``__iadd__`` and their kin."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Function, Ref, Value
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_WORDS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}


def binary(
    interp: Interpreter, node: ast.expr, op: ast.operator, left: Value, right: Value, *, changed: bool = False
) -> Value | None:
    """What the operands' classes make of ``left op right`` (``changed``: of ``left op= right``); None if nothing."""
    word = _WORDS[type(op)]
    tries = [(left, f"__{word}__", right), (right, f"__r{word}__", left)]
    if changed:
        tries.insert(0, (left, f"__i{word}__", right))
    for owner, name, other in tries:
        method = _method(interp, owner, name)
        if method is not None:
            return interp.call_function(method, [owner], node, CallSite(node, (Arg(other),)))
    return None


def _method(interp: Interpreter, value: Value, name: str) -> Function | None:
    obj = interp.obj_of(value) if isinstance(value, Ref) else None
    found = classes.find(interp, obj.cls, name) if obj is not None and isinstance(obj.cls, Class) else None
    return found if isinstance(found, Function) else None
