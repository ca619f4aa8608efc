"""Functions: where their bodies begin, and what names are in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.text.syntax import in_rows

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def functions(tree: ast.Module) -> Iterator[Function]:
    """All functions of a file."""
    yield from (node for node in in_rows(tree) if isinstance(node, _FUNCTIONS))


def arguments_of(function: Function) -> set[str]:
    """The names of what a function is given, one by one."""
    spec = function.args
    return {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}


def bound_names(node: ast.AST) -> set[str]:
    """The names that a piece of code binds, or unbinds: a function, or the target of a statement."""
    names = (part for part in in_rows(node) if isinstance(part, ast.Name))
    return {part.id for part in names if not isinstance(part.ctx, ast.Load)}


def stores(nodes: Iterable[ast.AST], name: str) -> list[ast.Name]:
    """Where a name is bound, or unbound, among some nodes."""
    named = (node for node in nodes if isinstance(node, ast.Name) and node.id == name)
    return [node for node in named if not isinstance(node.ctx, ast.Load)]


def read_names(node: ast.AST) -> set[str]:
    """The names that are read in a piece of code."""
    names = (part for part in in_rows(node) if isinstance(part, ast.Name))
    return {part.id for part in names if isinstance(part.ctx, ast.Load)}


def first_statement(function: Function) -> ast.stmt:
    """Where the body of a function begins, behind its docstring."""
    first, *rest = function.body
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and rest
    return rest[0] if told else first


def holds_functions(function: Function) -> bool:
    """Whether there are functions in a function, for which its names live on."""
    inner = (node for part in function.body for node in in_rows(part))
    return any(isinstance(node, (*_FUNCTIONS, ast.Lambda)) for node in inner)
