"""Dependence: which names statements read and write, for changing their order."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.text.syntax import in_rows

if TYPE_CHECKING:
    from devfix.analysis.text.outline import Outline

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def reads(statements: Iterable[ast.stmt]) -> frozenset[str]:
    """The plain and dotted names that statements read, with all their prefixes."""
    return frozenset(name for node in _nodes(statements) for name in _read(node))


def writes(statements: Iterable[ast.stmt]) -> frozenset[str]:
    """The plain and dotted names that statements bind."""
    return frozenset(name for node in _nodes(statements) for name in _written(node))


def _nodes(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in statements:
        yield from in_rows(statement)


def _read(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        name = dotted(node)
        if name is not None:
            yield name


def _written(node: ast.AST) -> Iterator[str]:
    if isinstance(node, _SCOPES):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
        name = dotted(node)
        if name is not None:
            yield name
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        name = dotted(node.value)
        if name is not None:
            yield name


def entry_named(outline: Outline, node: ast.expr) -> str | None:
    """``self["x"].device`` as text: names, attributes and entries under constants, which can be read once more."""
    plain = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load)
    if not all(isinstance(part, plain) for part in ast.walk(node)):
        return None
    return " ".join(outline.source.segment(outline.source.span(node)).split())


def dotted(node: ast.AST) -> str | None:
    """``a.b.c`` as text; None for anything but names and attributes of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner is not None else None
    return None


def written_around(outline: Outline, node: ast.AST, names: Collection[str]) -> set[str]:
    """Those of several names, plain or dotted, that the function around a node asks for already."""
    function = outline.function_of(node) if len(names) > 1 else None
    read = in_rows(function) if function is not None else ()
    found = (dotted(part) for part in read)
    return {code for code in found if code is not None and code in names}


def hands_on(outline: Outline, node: ast.AST, name: str, *, rather_than: str) -> bool:
    """Whether the function around a node gives one name to what it calls, and never the other."""
    function = outline.function_of(node)
    read = in_rows(function) if function is not None else ()
    calls = [part for part in read if isinstance(part, ast.Call)]
    given = [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]
    told = {dotted(each) for each in given}
    return name in told and rather_than not in told
