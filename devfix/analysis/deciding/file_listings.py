"""File listings: tests of whether a folder holds files, ``if not paths:``, after ``paths = sorted(folder.glob("*.pt"))``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import BoundMethod, Function
from devfix.analysis.text.syntax import called, remembered, statements_of, walk

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_LISTINGS = frozenset({"listdir", "glob", "iglob", "rglob", "iterdir", "scandir"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def are_asked_for(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test asks if there was a file, by a variable of the running function: a first run and a resumed one differ.

    The variable is given what a listing led to, which a function of the project may have made.
    """
    name = _asked(test)
    if name is None:
        return False
    running = interp.frame.function
    function = running.node if running is not None else None
    if not isinstance(function, _Function):
        return False
    given = _given(function).get(name, [])
    return bool(given) and all(_lists(interp, value) for value in given)


def _asked(test: ast.expr) -> str | None:
    """The ``x`` of ``x``, ``not x``, ``len(x) == 0``, ``x is None``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
        test = test.left
    if isinstance(test, ast.Call) and called(test) == "len" and len(test.args) == 1:
        test = test.args[0]
    return test.id if isinstance(test, ast.Name) else None


@remembered
def _given(function: _Function) -> dict[str, list[ast.expr]]:
    """What the statements of a function give each variable that they give something by itself."""
    found: dict[str, list[ast.expr]] = {}
    for node in statements_of(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def _lists(interp: Interpreter, value: ast.expr) -> bool:
    """Whether an expression lists files, or calls a function that gives back what it lists."""
    for call in _calls(value):
        if called(call) in _LISTINGS:
            return True
        callee = interp.eval(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) else None
        function = callee.function if isinstance(callee, BoundMethod) else callee
        if isinstance(function, Function) and _gives_listing(function.node):
            return True
    return False


@remembered
def _gives_listing(function: _Function | ast.Lambda) -> bool:
    """Whether a function gives back what lists files."""
    returned = (node.value for node in statements_of(function) if isinstance(node, ast.Return))
    return any(called(each) in _LISTINGS for node in returned if node for each in _calls(node))


def _calls(node: ast.expr) -> Iterator[ast.Call]:
    return (part for part in walk(node) if isinstance(part, ast.Call))
