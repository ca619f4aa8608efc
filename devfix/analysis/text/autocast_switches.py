"""Autocast switches: options that turn an autocast block on, and what a file does as they say."""

from __future__ import annotations

import ast

from devfix.analysis.text.syntax import remembered, walk

_NAMES = (ast.Name, ast.Attribute)


@remembered
def are_asked(tree: ast.Module) -> bool:
    """Whether a file has ``enabled=amp`` in a call, and asks ``amp`` in a test elsewhere."""
    switches: set[str] = set()
    tests: list[ast.expr] = []
    for node in walk(tree):
        if isinstance(node, ast.Call):
            told = (keyword.value for keyword in node.keywords if keyword.arg == "enabled")
            switches.update(ast.unparse(value) for value in told if isinstance(value, _NAMES))
        elif isinstance(node, (ast.If, ast.IfExp)):
            tests.append(node.test)
    asked = (part for test in tests for part in walk(test) if switches and isinstance(part, _NAMES))
    return any(ast.unparse(part) in switches for part in asked)
