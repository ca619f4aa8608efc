"""Quotients: a division of whole numbers that gives whole numbers again, where its result says places."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import parameters_of
from devfix.findings import Applicability, FileEdit, Fix, Operand, Origin, ReplaceExpression, SetKeyword, Span
from devfix.placement.telling import told_function

_METHODS = frozenset(("div", "divide"))


def floored(facts: Facts, operand: Operand) -> list[Fix]:
    """``best // width`` in place of ``best / width``, in each division by which alone the operand is one of floats.

    A cast of the result would leave floats to all that else is reckoned with it. Nothing is done where a quotient also meets
    floats, as the fraction that it is.
    """
    divisions = {trail[0]: None for trail in operand.roots if trail}
    if not divisions or any(_is_otherwise(facts, division) for division in divisions):
        return []
    edits = [_edit(facts, division) for division in divisions]
    found = tuple(edit for edit in edits if edit is not None)
    return [Fix("divide whole numbers into whole numbers", found, Applicability.UNSAFE)] if all(edits) else []


def _is_otherwise(facts: Facts, division: Origin) -> bool:
    return division.kind != "quotient" or facts.is_fraction(division)


def _edit(facts: Facts, division: Origin) -> FileEdit | None:
    outline = facts.outline(division.path)
    node = outline.expression_at(division.span)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        code = _with_floor(outline, node)
        shared = any(_is_given(facts, outline, side) for side in (node.left, node.right))
        edit = ReplaceExpression(division.span, code)
        return FileEdit(division.path, edit) if code and not shared else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr not in _METHODS or any(keyword.arg is None for keyword in node.keywords):
        return None
    if any(_is_given(facts, outline, each) for each in (node.func.value, *node.args)):
        return None
    return FileEdit(division.path, SetKeyword(division.span, "rounding_mode", '"floor"'))


def _with_floor(outline: Outline, node: ast.BinOp) -> str:
    """The division with ``//``; what stands between its sides stays, unless that is more than one sign and parentheses."""
    source = outline.source
    whole, left, right = (source.span(each) for each in (node, node.left, node.right))
    before = source.segment(Span(whole.line, whole.column, left.end_line, left.end_column))
    between = source.segment(Span(left.end_line, left.end_column, right.line, right.column))
    after = source.segment(Span(right.line, right.column, whole.end_line, whole.end_column))
    if between.strip(" ()") != "/":
        return ""
    return f"{before}{between.replace('/', '//')}{after}"


def _is_given(facts: Facts, outline: Outline, node: ast.expr) -> bool:
    """Whether something is a parameter of a function that more than one call gives it, perhaps floats."""
    function = outline.function_of(node)
    if not isinstance(node, ast.Name) or not isinstance(function, ast.FunctionDef):
        return False
    given = any(each.arg == node.id for each in parameters_of(function))
    return given and len(list(told_function.calls(facts, outline, function))) > 1
