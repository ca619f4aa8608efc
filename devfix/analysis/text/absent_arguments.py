"""Parameters that are None unless a caller says otherwise, and of which a function asks whether they were given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.syntax import remembered, walk


@remembered
def of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[ast.arg, ...]:
    """``mask=None`` where the function has ``if mask is not None``: what it does with one is not seen without."""
    absent = {parameter.arg: parameter for parameter in _optional(node.args)}
    if not absent:
        return ()
    asked = {name for part in walk(node) for name in _asked(part)}
    return tuple(parameter for name, parameter in absent.items() if name in asked)


def _optional(arguments: ast.arguments) -> Iterator[ast.arg]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = arguments.defaults
    pairs = [*zip(positional[len(positional) - len(defaults) :], defaults, strict=True)]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for parameter, default in [*pairs, *named]:
        if isinstance(default, ast.Constant) and default.value is None:
            yield parameter


def _asked(part: ast.AST) -> Iterator[str]:
    """The names that a test compares with None, be it alone or within ``and`` and ``or``."""
    if isinstance(part, ast.Compare) and len(part.ops) == 1 and isinstance(part.ops[0], (ast.Is, ast.IsNot)):
        other = part.comparators[0]
        if isinstance(part.left, ast.Name) and isinstance(other, ast.Constant) and other.value is None:
            yield part.left.id
