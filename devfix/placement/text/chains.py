"""Chains: what stands at the head of attributes, items and method calls, as ``x`` does in ``x.data[0].view(-1)``."""

from __future__ import annotations

import ast
from collections.abc import Collection


def head(node: ast.AST, through: tuple[type[ast.expr], ...], methods: Collection[str] = ()) -> ast.AST:
    """What is left without the links of these kinds; a call is one where it is that of a method, or of one of ``methods``."""
    while isinstance(node, through):
        if isinstance(node, ast.Call):
            method = node.func
            if not isinstance(method, ast.Attribute) or (methods and method.attr not in methods):
                break
            node = method.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            break
    return node


def name_of(node: ast.AST, *through: type[ast.expr]) -> str:
    """The name at the head of a chain; "" where anything else stands there."""
    found = head(node, through)
    return found.id if isinstance(found, ast.Name) else ""
