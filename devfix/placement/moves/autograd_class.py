"""Autograd classes: those derived from ``torch.autograd.Function``, whose methods work wherever their tensors are."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.placement.text.dependence import dotted

#: The classes of ``torch.autograd`` that are derived from; see "Extending PyTorch" in its documentation.
_BASES = frozenset({"Function", "InplaceFunction"})
#: Where their results are made.
FORWARD, BACKWARD = "forward", "backward"


def is_around(outline: Outline, node: ast.AST) -> bool:
    """Whether a node is in one of them."""
    return is_in(outline, node, FORWARD) or is_in(outline, node, BACKWARD)


def is_in(outline: Outline, node: ast.AST, name: str) -> bool:
    """Whether a node is in the method of this name of an autograd function."""
    function = outline.function_of(node)
    if not isinstance(function, ast.FunctionDef) or function.name != name:
        return False
    cls = outline.class_of(function)
    return cls is not None and _is_function(outline, cls)


def _is_function(outline: Outline, cls: ast.ClassDef) -> bool:
    """Whether a class has such a base, which it has under any name, or is derived from one beside it that has."""
    names = [(dotted(base) or "").rpartition(".")[2] for base in cls.bases]
    if any(outline.aliases.get(name, name) in _BASES for name in names):
        return True
    beside = (node for node in outline.source.tree.body if isinstance(node, ast.ClassDef) and node is not cls)
    return any(
        node.name in names and node.lineno < cls.lineno and _is_function(outline, node) for node in beside
    )
