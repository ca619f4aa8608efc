"""Moved parts: what the methods of a class move of what their objects hold, once these are made.

``self.model.cuda()`` moves a part, and so do ``self.heads[name].to(device)``, ``self.noise.loc.cuda()`` and
``for head in self.heads: head.to(device)`` something within one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from devfix.analysis.text.syntax import remembered, walk

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOVES = ("to", "cuda")
#: What goes through the entries of what it is given.
_GOING_THROUGH = frozenset(("enumerate", "zip", "list", "tuple", "iter", "reversed"))


@remembered
def of(cls: ast.ClassDef) -> frozenset[str]:
    """The attributes of which methods move something, other than the constructor."""
    found: set[str] = set()
    for method in cls.body:
        if isinstance(method, _METHODS) and method.name != "__init__":
            found.update(_moved_by(method, ("self", "cls", cls.name)))
    return frozenset(found)


def _moved_by(method: ast.FunctionDef | ast.AsyncFunctionDef, owners: tuple[str, ...]) -> Iterator[str]:
    nodes = list(walk(method))
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    moved = [func.value for func in calls if isinstance(func, ast.Attribute) and func.attr in _MOVES]
    sources = dict(_sources(nodes)) if moved else {}
    for held in moved:
        name = _attribute(held, owners, sources)
        if name is not None:
            yield name


def _sources(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """The names that loops bind, and what they go through."""
    for node in nodes:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            for part in walk(node.target):
                if isinstance(part, ast.Name):
                    yield part.id, node.iter


def _attribute(held: ast.expr, owners: tuple[str, ...], sources: Mapping[str, ast.expr]) -> str | None:
    """The attribute of the object that holds what an expression stands for."""
    seen: set[str] = set()
    node = held
    while True:
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in owners:
                return node.attr
            node = node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            through = isinstance(node.func, ast.Name) and node.func.id in _GOING_THROUGH and node.args
            node = node.args[0] if through else node.func
        elif isinstance(node, ast.Name) and node.id in sources and node.id not in seen:
            seen.add(node.id)
            node = sources[node.id]
        else:
            return None
