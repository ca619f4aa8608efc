"""Moved globals: what a file keeps at its top that functions of it move, whoever calls them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.text.scope_names import FUNCTIONS, ScopeNames, parameters_of
from devfix.analysis.text.syntax import remembered, spelt, walk

if TYPE_CHECKING:
    from devfix.source import Source

_MOVES = ("to", "cuda", "cpu")
#: Begins with what is rare: a search for names would look at each word of a file.
_MOVE = re.compile(rf"\.(?:{'|'.join(_MOVES)})\(")


def of(source: Source) -> frozenset[str]:
    """The globals that functions of a file move where they are: ``model.to(device)``."""
    named = {
        target.id
        for statement in source.tree.body
        if isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    moved = named.intersection(_moved_in(source.text)) if named else named
    return _moved_by_functions(source.tree) & moved if moved else frozenset()


def _moved_in(text: str) -> Iterator[str]:
    """The names before moves anywhere in a text."""
    for move in _MOVE.finditer(text):
        begin = end = move.start()
        while begin and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
            begin -= 1
        yield text[begin:end]


@remembered
def _moved_by_functions(tree: ast.Module) -> frozenset[str]:
    found: set[str] = set()
    for function in walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        calls = (node.func for node in walk(function) if isinstance(node, ast.Call))
        moved = {
            spelt(func.value) for func in calls if isinstance(func, ast.Attribute) and func.attr in _MOVES
        }
        if moved:
            own = {part.arg for part in parameters_of(function)}
            found.update(moved - own - ScopeNames(function.body).bound)
    return frozenset(found)
