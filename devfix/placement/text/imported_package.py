"""Imported packages: what a file calls a package that a fix needs, and the import for it where there is none."""

from __future__ import annotations

import ast

from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import AddImport


def named(outline: Outline, package: str, *aliased: str) -> tuple[str, tuple[AddImport, ...]]:
    """What a file calls ``package`` and the import that it needs for that; "" where the name is taken.

    A package that is ``aliased`` does as well, by the other name that the file gives it.
    """
    tree = outline.source.tree
    for node in tree.body:
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name == package or (alias.name in aliased and alias.asname):
                return alias.asname or alias.name, ()
    names = (node.id for node in in_rows(tree) if isinstance(node, ast.Name))
    imported = (
        alias.asname or alias.name
        for node in in_rows(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    )
    return ("", ()) if package in {*names, *imported} else (package, (AddImport(package),))
