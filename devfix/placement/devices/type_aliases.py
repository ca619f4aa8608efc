"""Type aliases: names for tensor types by which old programs move things, and the tests under which they name the accelerator's."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devfix.analysis.text.outline import Outline
from devfix.placement.devices.boundness import parameters


def names_accelerator(value: ast.AST) -> bool:
    """Whether an expression is ``torch.cuda.FloatTensor`` or another type of the accelerator's tensors."""
    words = ast.unparse(value).split(".") if isinstance(value, ast.Attribute) else []
    return words[:2] == ["torch", "cuda"] and words[-1].endswith("Tensor")


def tests(outline: Outline, call: ast.AST | None) -> list[ast.expr] | None:
    """What is asked before the name in ``x.type(kind)`` or ``kind(x)`` stands for the accelerator's type.

    None where nobody knows, or where the name stands for other things, too.
    """
    alias = _alias_in(call)
    scope = _scope_of(outline, alias) if alias is not None else None
    if alias is None or scope is None:
        return None
    named = [node for value in _values(outline, scope, alias.id) for node in _results(value)]
    found = [node for node in named if names_accelerator(node)]
    return _asked(outline, found[0]) if len(found) == 1 else None


def _asked(outline: Outline, node: ast.AST) -> list[ast.expr] | None:
    """The tests that come out true where an expression is computed; None where some come out otherwise."""
    asked: list[ast.expr] = []
    while not isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
        node, inner = outline.parents[node], node
        if isinstance(node, (ast.If, ast.IfExp)):
            if inner is not node.body and (isinstance(node, ast.IfExp) or inner not in node.body):
                return None
            asked.append(node.test)
        elif isinstance(node, (ast.Try, ast.Match, ast.ClassDef)):
            return None
    return asked


def _alias_in(call: ast.AST | None) -> ast.Name | None:
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return None
    if isinstance(call.func, ast.Name):
        return call.func
    (kind,) = call.args
    typed = isinstance(call.func, ast.Attribute) and call.func.attr == "type"
    return kind if typed and isinstance(kind, ast.Name) else None


def _scope_of(
    outline: Outline, alias: ast.Name
) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Module | None:
    """Where a name is bound: the function around it, or the file."""
    function = outline.function_of(alias)
    whole = outline.source.tree
    if function is not None and alias.id in parameters(function):
        return None
    if function is not None and outline.names_in(function).binders(alias.id):
        return function
    return whole if outline.names_in(whole).binders(alias.id) else None


def _values(
    outline: Outline, scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module, name: str
) -> Sequence[ast.expr]:
    """What is bound to a name by assignments to it alone; nothing where it is bound otherwise, too."""
    choices = outline.names_in(scope).binders(name)
    binders = [part for part in choices if not isinstance(part, ast.If)]
    assigned = [part for part in binders if isinstance(part, ast.Assign)]
    alone = all(len(part.targets) == 1 and isinstance(part.targets[0], ast.Name) for part in assigned)
    return [part.value for part in assigned] if alone and len(assigned) == len(binders) else ()


def _results(value: ast.expr) -> tuple[ast.expr, ...]:
    """What an expression may come to: either of two alternatives."""
    return (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
