"""Scaled: what is multiplied by a number that is written there moves itself: ``0.9 * self.mean.to(device)``."""

from __future__ import annotations

import ast

from devfix.placement.text.dependence import dotted


def tensor_in(node: ast.expr) -> ast.expr:
    """The one attribute in a calculation of which all else is numbers as written; else the calculation itself.

    What an object keeps is told from what is computed of it. What may be a number, and is not written there, may be an array
    as well, which takes nothing from the accelerator.
    """
    found = node
    while isinstance(found, ast.BinOp):
        left, right = _is_number(found.left), _is_number(found.right)
        if left == right:
            return node
        found = found.right if left else found.left
    return found if isinstance(found, ast.Attribute) and dotted(found) is not None else node


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
