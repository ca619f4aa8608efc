"""Handed values: which function has a parameter, and what a call gives it for that."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import positional_of
from devfix.findings import Span


def receiver(outline: Outline, parameter: Span) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The function that has the parameter at a place; None where none has, or where a ``lambda`` does."""
    for node in outline.nodes_at(parameter):
        if isinstance(node, ast.arg):
            function = outline.parents[outline.parents[node]]
            return function if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    return None


def argument(outline: Outline, function: ast.FunctionDef, parameter: str, call: ast.Call) -> ast.expr | None:
    """What a call gives for a parameter; None where the text does not tell."""
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    names = [each.arg for each in positional_of(function)]
    is_method = outline.class_of(function) is not None and not function.decorator_list
    number = names.index(parameter) - is_method if parameter in names else -1
    handed = call.args[: number + 1]
    is_told = 0 <= number < len(call.args) and not any(isinstance(each, ast.Starred) for each in handed)
    return call.args[number] if is_told else None


def kept(
    outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, parameter: str
) -> ast.Name | None:
    """``net`` in ``self.net = net``, where that statement of the function is the first to use the parameter."""
    uses = outline.occurrences(function, parameter)
    first = min(uses, key=lambda each: (each.lineno, each.col_offset), default=None)
    statement = outline.statement_of(first) if first is not None else None
    if (
        not isinstance(statement, ast.Assign)
        or statement.value is not first
        or statement not in function.body
    ):
        return None
    return first if all(isinstance(target, ast.Attribute) for target in statement.targets) else None
