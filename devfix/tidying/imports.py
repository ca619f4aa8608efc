"""Imports of which fixes took the last use go with it: ``List``, where a list became a ``ModuleList``."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from devfix.analysis.text.syntax import in_rows
from devfix.source import Source
from devfix.tidying.written import Written


def without_unused(written: Written, others: Iterable[Source]) -> str:
    """The text without the names of ``from typing import List, Tuple`` that it used before, and uses no more.

    ``others`` are the other files of the program, which may have them from there.
    """
    lines = list(written.after.lines)
    for statement in written.after.tree.body if written.before.text != written.after.text else ():
        if not isinstance(statement, ast.ImportFrom) or statement.lineno != statement.end_lineno:
            continue
        gone = set(_unused(written, statement))
        if gone and not any(_may_take(other, written.after.path, statement, gone) for other in others):
            lines[statement.lineno - 1] = _without(lines[statement.lineno - 1], statement, gone)
            if not lines[statement.lineno - 1] and statement.lineno > 1:
                _close_gap(lines, statement.lineno)
    return "".join(lines)


def _close_gap(lines: list[str], number: int) -> None:
    """Takes a blank line away where the one that is gone, counted from 1, stood between two."""
    around = (lines[number - 2], lines[number] if number < len(lines) else "")
    if not any(line.strip() for line in around):
        lines[number - 2] = ""


def _unused(written: Written, statement: ast.ImportFrom) -> Iterator[str]:
    for alias in statement.names:
        word = re.compile(rf"\b{re.escape(alias.asname or alias.name)}\b")
        if len(word.findall(written.after.text)) == 1 < len(word.findall(written.before.text)):
            yield alias.asname or alias.name


def _may_take(other: Source, path: str, statement: ast.ImportFrom, names: set[str]) -> bool:
    """Whether another file may have one of the names from the file that imports them."""
    place = PurePath(path)
    own = {place.stem, place.parent.name, ""}
    origin = (statement.module or "").rpartition(".")[2]
    taken = (
        alias.name
        for node in in_rows(other.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] in own
        for alias in node.names
    )
    asked = (
        node.attr
        for node in in_rows(other.tree)
        if isinstance(node, ast.Attribute)
        and node.attr in names
        and ast.unparse(node.value).rpartition(".")[2] != origin
    )
    return any(name in names or name == "*" for name in taken) or any(asked)


def _without(line: str, statement: ast.ImportFrom, gone: set[str]) -> str:
    """The line of an import without some of its names; nothing where it has no others.

    What else a module does when it is imported, who knows: others than those of Python are still imported.
    """
    kept = [ast.unparse(alias) for alias in statement.names if (alias.asname or alias.name) not in gone]
    if not kept:
        standard = (
            not statement.level and (statement.module or "").partition(".")[0] in sys.stdlib_module_names
        )
        return "" if standard and line.strip() == ast.unparse(statement) else line
    return line.replace(", ".join(map(ast.unparse, statement.names)), ", ".join(kept))
