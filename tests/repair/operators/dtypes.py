"""Casts that were forgotten."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repair.change import Change, change
from repair.roles import role
from repair.script import Script
from repair.shapes import arguments, assigned_to_itself, is_dtype, method, receiver

_FLOATS = frozenset("float double half".split())
_INTEGERS = frozenset("long int".split())


def cast_dropped(script: Script) -> Iterator[Change]:
    """``.float()``, ``.long()``, ``.to(torch.float32)`` or ``.astype(np.float32)`` is left out."""
    for call in script.calls():
        operator = _cast(call)
        if operator:
            statement = script.statement_of(call)
            itself = assigned_to_itself(statement, call)
            edit = script.without_statement(statement) if itself else script.without_call(call)
            yield change(operator, role(script, receiver(call)), call, edit)


def dtype_keyword_dropped(script: Script) -> Iterator[Change]:
    """``dtype=`` is left out where a tensor or an array is made."""
    for call in script.calls():
        for keyword in call.keywords:
            if keyword.arg == "dtype" and (method(call) or isinstance(call.func, ast.Name)):
                yield change(
                    "dtype-keyword-dropped", role(script, call), call, script.without_argument(keyword)
                )


def _cast(call: ast.Call) -> str:
    name = method(call)
    if name in _FLOATS and not call.args:
        return "float-dropped"
    if name in _INTEGERS and not call.args:
        return "label-cast-dropped"
    if name in ("to", "type", "astype") and len(arguments(call)) == 1 and _names_dtype(arguments(call)[0]):
        wide = ast.unparse(arguments(call)[0])
        return "label-cast-dropped" if "long" in wide or "int" in wide else "float-dropped"
    return ""


def _names_dtype(node: ast.expr) -> bool:
    return is_dtype(node) or (isinstance(node, ast.Constant) and str(node.value).startswith(("float", "int")))
