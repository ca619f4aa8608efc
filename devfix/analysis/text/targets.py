"""Targets: what a statement gives values to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.syntax import walk


def targets(statement: ast.AST) -> Iterator[ast.expr]:
    """What a statement gives values to, and what it takes away."""
    if isinstance(statement, ast.Assign):
        found = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        found = [statement.target]
    elif isinstance(statement, ast.Delete):
        found = statement.targets
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        found = [item.optional_vars for item in statement.items if item.optional_vars is not None]
    else:
        return
    for target in found:
        if isinstance(target, ast.Name):  # as most are: nothing is below it
            yield target
            continue
        for part in walk(target):
            if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)):
                if not isinstance(part.ctx, ast.Load):
                    yield part
