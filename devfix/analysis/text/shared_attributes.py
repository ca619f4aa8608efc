"""Shared attributes: what has two names, as the weight that a decoder takes over from an encoder."""

from __future__ import annotations

import ast

from devfix.analysis.text.syntax import in_rows, remembered


@remembered
def names(tree: ast.Module) -> frozenset[str]:
    """The attributes that are given what exists already, and those that it is taken from: ``decoder.weight = encoder.weight``."""
    found: set[str] = set()
    for node in in_rows(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Attribute, ast.Name)):
            named = [each.attr for each in (*node.targets, node.value) if isinstance(each, ast.Attribute)]
            if any(isinstance(target, ast.Attribute) for target in node.targets):
                found.update(named)
    return frozenset(found)
