"""Divided anew: ``total = total / n`` in place of ``total /= n``, for what was added up and is divided in the end."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Applicability, DeleteStatement, FileEdit, Fix, InsertBefore, Mismatch
from devfix.placement.text.dependence import dotted

#: What needs no parentheses behind a ``/``.
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)


def fixes(facts: Facts, mismatch: Mismatch) -> list[Fix]:
    """The division makes a tensor of its own, which is one of floats, of a sum that began as a number: nobody else has that."""
    outline = facts.outline(mismatch.path)
    statement = outline.statement_at(mismatch.sink)
    if not isinstance(statement, ast.AugAssign) or not isinstance(statement.op, ast.Div):
        return []
    source, span = outline.source, outline.source.span(statement)
    name, value = dotted(statement.target), source.segment(source.span(statement.value))
    if name is None or "\n" in source.segment(span) or not _is_sum(outline, statement, name):
        return []
    divisor = value if isinstance(statement.value, _ATOMS) else f"({value})"
    text = "\n".join([*source.comments(span), f"{name} = {name} / {divisor}"])
    edits = (InsertBefore(span, text), DeleteStatement(span))
    found = tuple(FileEdit(mismatch.path, edit) for edit in edits)
    return [Fix(f"divide `{name}` into a tensor of its own", found, Applicability.UNSAFE)]


def _is_sum(outline: Outline, statement: ast.AugAssign, name: str) -> bool:
    """Whether all that a function, or a class of its attribute, does to a name is to give it numbers, to add to it and to divide it."""
    stores = [
        outline.statement_of(node)
        for node in in_rows(_around(outline, statement))
        if isinstance(node, (ast.Name, ast.Attribute))
        and not isinstance(node.ctx, ast.Load)
        and ast.unparse(node) == name
    ]
    begun = [each for each in stores if isinstance(each, ast.Assign)]
    grown = [each for each in stores if isinstance(each, ast.AugAssign)]
    numbers = all(isinstance(part, ast.Constant) for each in begun for part in _values(each))
    return bool(begun and numbers) and len(begun) + len(grown) == len(stores)


def _values(statement: ast.Assign) -> list[ast.expr]:
    return statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]


def _around(outline: Outline, statement: ast.AugAssign) -> ast.AST:
    """What may add to the target of a statement: the class for an attribute, else the function."""
    function = outline.function_of(statement)
    cls = outline.class_of(function) if function is not None else None
    if cls is not None and isinstance(statement.target, ast.Attribute):
        return cls
    return function if function is not None else outline.source.tree
