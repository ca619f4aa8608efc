"""Rebuilt alike: a comprehension that only moved what it goes over is, without the move, a copy of that."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.findings import DeleteStatement, Edit, ReplaceExpression


def without_move(outline: Outline, call: ast.Call) -> Edit | None:
    """``{k: v.to(device) for k, v in batch.items()}`` becomes ``dict(batch)``; None where ``call`` is no such move.

    Where the copy would go to the name that it is made from, or be taken apart at once, there is none.
    """
    comprehension = _around(outline, call)
    whole = _copied(comprehension) if comprehension is not None else None
    if comprehension is None or whole is None:
        return None
    text = outline.source.segment(outline.source.span(whole))
    statement, span = outline.parents.get(comprehension), outline.source.span(comprehension)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    given_back = [ast.unparse(target) for target in targets] == [ast.unparse(whole)]
    if given_back and isinstance(statement, ast.Assign):
        return DeleteStatement(outline.source.span(statement))
    if any(isinstance(each, ast.Tuple | ast.List) for each in targets):
        return ReplaceExpression(span, text)
    if isinstance(comprehension, ast.GeneratorExp):
        return None  # whether what it goes over may stand in its place, whoever takes it knows
    return ReplaceExpression(span, f"{'dict' if isinstance(comprehension, ast.DictComp) else 'list'}({text})")


_Comprehension = ast.DictComp | ast.ListComp | ast.GeneratorExp


def _around(outline: Outline, call: ast.Call) -> _Comprehension | None:
    """The comprehension that gives a moved name, or that name as it is where a test says so."""
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return None
    name, node = call.func.value.id, outline.parents.get(call)
    given: ast.AST = call
    if isinstance(node, ast.IfExp) and node.test is not call:
        other = node.orelse if node.body is call else node.body
        if not isinstance(other, ast.Name) or other.id != name:
            return None
        given, node = node, outline.parents.get(node)
    if isinstance(node, ast.DictComp) and node.value is given and _binds(node, name):
        return node
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and node.elt is given and _binds(node, name):
        return node
    return None


def _binds(node: _Comprehension, name: str) -> bool:
    """Whether a comprehension with one plain loop brings a name, beside the key where it makes a dict."""
    target, *others = node.generators
    if others or target.ifs or target.is_async:
        return False
    if not isinstance(node, ast.DictComp):
        return isinstance(target.target, ast.Name) and target.target.id == name
    names = target.target.elts if isinstance(target.target, ast.Tuple) else []
    return [ast.unparse(each) for each in names] == [ast.unparse(node.key), name]


def _copied(node: _Comprehension) -> ast.expr | None:
    """What a comprehension goes over: of ``batch.items()`` it is the batch."""
    source = node.generators[0].iter
    if not isinstance(node, ast.DictComp):
        return source
    asked = source.func if isinstance(source, ast.Call) else None
    return asked.value if isinstance(asked, ast.Attribute) and asked.attr == "items" else None
