"""Parts within: the calls and the attributes of a function, which several questions about it go through."""

from __future__ import annotations

import ast

from devfix.analysis.text.noting import noted
from devfix.analysis.text.syntax import walk


def calls_in(node: ast.AST) -> tuple[ast.Call, ...]:
    """The calls in a piece of code, in no order that matters."""
    return _parts_in(node)[0]


def attributes_in(node: ast.AST) -> tuple[ast.Attribute, ...]:
    """The attributes in a piece of code, in no order that matters."""
    return _parts_in(node)[1]


@noted  # what is told of the parts is an answer, and not which nodes they are: these are others after any edit
def _parts_in(node: ast.AST) -> tuple[tuple[ast.Call, ...], tuple[ast.Attribute, ...]]:
    calls: list[ast.Call] = []
    attributes: list[ast.Attribute] = []
    for part in walk(node):
        if isinstance(part, ast.Call):
            calls.append(part)
        elif isinstance(part, ast.Attribute):
            attributes.append(part)
    return tuple(calls), tuple(attributes)
