"""Left-out arguments: what a parameter stands for where a call does not give it, which may be nothing that moves."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import defaults_of

_Function = ast.FunctionDef | ast.AsyncFunctionDef

#: Defaults that have no ``to``.
_UNMOVED = (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List, ast.Dict)
#: What hands on a name that stands in it, None as well as a tensor.
_HANDING = (ast.keyword, ast.BoolOp, ast.IfExp, ast.NamedExpr, ast.Tuple, ast.List, ast.Dict, ast.Return)


def mover(outline: Outline, function: _Function, name: str, suffix: str) -> str:
    """``y = y.to(device)``, behind a question where None may be left of ``y``; nothing where a number or a list may be."""
    code = f"{name} = {name}{suffix}"
    default = {each.arg: given for each, given in defaults_of(function.args)}.get(name)
    if isinstance(default, ast.Constant) and default.value is None:
        asks = any(_is_asked_or_handed(outline, node) for node in outline.occurrences(function, name))
        return f"if {name} is not None:\n    {code}" if asks else code
    return "" if isinstance(default, _UNMOVED) else code


def _is_asked_or_handed(outline: Outline, node: ast.Name) -> bool:
    """Whether a function asks of what a name stands for, or hands it on to who may ask."""
    around = outline.parents[node]
    if isinstance(node.ctx, ast.Store) or isinstance(outline.statement_of(node), ast.Assert):
        return False
    if isinstance(around, ast.Compare):
        return all(isinstance(each, (ast.Is, ast.IsNot)) for each in around.ops)
    if isinstance(around, ast.UnaryOp):
        return isinstance(around.op, ast.Not)
    if isinstance(around, (ast.If, ast.While, ast.Assign, ast.AnnAssign)):
        return True
    return isinstance(around, _HANDING) or (isinstance(around, ast.Call) and around.func is not node)
