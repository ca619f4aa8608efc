"""Known as: by which name a function knows what it made, or had made by the functions that it calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import only_return, own_nodes
from devfix.findings import Origin
from devfix.placement.text.dependence import dotted

#: What a function gives back is called, until its caller gives it a name.
_RETURNED = ""


def after(facts: Facts, made: Sequence[Origin], later: Origin) -> str | None:
    """The name that stands, behind a later statement, for what a chain of statements made; None where none surely does.

    ``made`` has the statements that were being executed, outermost function first.
    """
    outline = facts.outline(later.path)
    statement = outline.statement_at(later.span)
    here = next(
        (i for i, each in enumerate(made) if (each.path, each.scope) == (later.path, later.scope)), None
    )
    if here is None or statement is None:
        return None
    first = outline.statement_at(made[here].span)
    name = _name(facts, made[here:])
    if (
        not name
        or first is None
        or first is statement
        or not outline.dominates(_outermost(outline, first), statement)
    ):
        return None
    return name if _is_bound_once(outline, statement, name) else None


def _outermost(outline: Outline, statement: ast.stmt) -> ast.stmt:
    """The statement, or the last ``with`` around it: what is bound in one is bound behind it."""
    parent = outline.parents.get(statement)
    while isinstance(parent, (ast.With, ast.AsyncWith)):
        statement, parent = parent, outline.parents.get(parent)
    return statement


def _name(facts: Facts, made: Sequence[Origin]) -> str | None:
    """How the first statement's function knows what the last one made."""
    statement = facts.outline(made[0].path).statement_at(made[0].span)
    if len(made) == 1:
        return "self" if _begins_object(statement) else _result(statement)
    inner = _name(facts, made[1:])
    outline = facts.outline(made[1].path)
    within = outline.statement_at(made[1].span)
    function = outline.function_of(within) if within is not None else None
    if inner is None or function is None:
        return None
    if inner.partition(".")[0] == "self":
        return _of_object(statement, outline, function, inner)
    if _called(statement) != function.name:
        return None
    if inner == _RETURNED:
        return _result(statement)
    returned = only_return(function)
    if returned is None or not _is_bound_once(outline, function.body[0], inner):
        return None
    return _given_back(statement, returned.value, inner)


def _given_back(statement: ast.stmt | None, value: ast.expr | None, inner: str) -> str | None:
    """``model, optimizer = build()`` where that ends with ``return net, opt``."""
    if isinstance(value, ast.Tuple):
        places = [place for place, item in enumerate(value.elts) if dotted(item) == inner]
        return _result(statement, places[0]) if len(places) == 1 else None
    return _result(statement) if value is not None and dotted(value) == inner else None


def _of_object(
    statement: ast.stmt | None, outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, inner: str
) -> str | None:
    """``trainer = Trainer()`` and ``self.build()`` where those set ``self.optimizer``."""
    called = _called(statement)
    if function.name == "__init__":
        cls = outline.class_of(function)
        owner = _result(statement) if cls is not None and called == cls.name else None
    else:
        value = getattr(statement, "value", None)
        method = value.func if isinstance(value, ast.Call) else None
        owner = (
            dotted(method.value) if isinstance(method, ast.Attribute) and called == function.name else None
        )
    return f"{owner}{inner.removeprefix('self')}" if owner else None


def _called(statement: ast.stmt | None) -> str:
    """The last part of the name of what a statement calls for its value."""
    value = getattr(statement, "value", None)
    return (dotted(value.func) or "").rpartition(".")[2] if isinstance(value, ast.Call) else ""


def _begins_object(statement: ast.stmt | None) -> bool:
    """``super().__init__(params, defaults)``, in which an optimizer of one's own begins."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    method = value.func if isinstance(value, ast.Call) else None
    return (
        isinstance(method, ast.Attribute) and method.attr == "__init__" and isinstance(method.value, ast.Call)
    )


def _result(statement: ast.stmt | None, place: int | None = None) -> str | None:
    """The name that a statement gives its call's result, or one of the parts of that."""
    if isinstance(statement, ast.Return) and place is None and isinstance(statement.value, ast.Call):
        return _RETURNED
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    if not isinstance(statement.value, ast.Call):
        return None
    target: ast.expr = statement.targets[0]
    if place is None:
        return dotted(target)
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if place >= len(parts) or any(isinstance(part, ast.Starred) for part in parts):
        return None
    return dotted(parts[place])


def _is_bound_once(outline: Outline, at: ast.AST, name: str) -> bool:
    """Whether a function gives a name, or what is at the head of a dotted one, one meaning."""
    scope = outline.function_of(at) or outline.source.tree
    found = [
        node
        for node in own_nodes(scope.body)
        if isinstance(node, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load)
    ]
    heads = [node for node in found if name == dotted(node) or name.startswith(f"{dotted(node)}.")]
    return len(heads) <= 1
