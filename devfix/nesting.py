"""Nesting: which file of a program is nested too deeply for the functions that walk through it."""

from __future__ import annotations

import ast

from devfix.project import Program

#: Nobody nests deeper by hand; what ends a recursion is some hundred levels deeper still.
_ORDINARY = 100


def deepest(program: Program) -> str | None:
    """The file whose syntax is nested most deeply; None where no file is nested in an uncommon way."""
    depths = {path: depth(source.tree) for path, source in program.sources.items()}
    path = max(sorted(depths), key=depths.__getitem__)
    return path if depths[path] > _ORDINARY else None


def depth(tree: ast.AST) -> int:
    """How many nodes stand within one another."""
    level, found = [tree], 0
    while level:
        found += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return found
