"""Unpackings: what is computed for each of several names moves where it is computed, or taken out of what holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.functions import read_names
from devfix.tidying.lines import moves_of, name_for_each
from devfix.tidying.written import Written

_BLOCKS = ("body", "orelse", "finalbody")
#: What a method can be called of without parentheses.
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def moved_at_once(written: Written) -> str:
    """The text with new moves of all names of an unpacking in what is unpacked.

    ``a, b = (f(x) for x in batch)`` becomes ``a, b = (f(x).to(device) for x in batch)``; where one line has no room for the
    moves of ``a, b, c = batch``, it becomes ``a, b, c = (t.to(device) for t in batch)``.
    """
    lines = list(written.after.lines)
    for block in _blocks(written.after.tree):
        for statement, following in pairwise(block):
            if isinstance(statement, ast.Assign) and statement.lineno == statement.end_lineno:
                _move(written, lines, statement, following.lineno)
    return "".join(lines)


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in in_rows(tree):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list):  # the body of a lambda is none
                yield block


def _move(written: Written, lines: list[str], statement: ast.Assign, first: int) -> None:
    """Takes the lines of moves from ``first`` on away, where the unpacking can move as much."""
    last, moved, suffixes = first, set[str](), set[str]()
    while (
        last <= len(lines) and written.is_new_line(last) and (moves := moves_of(lines[last - 1])) is not None
    ):
        suffixes.add(moves[0])
        moved.update(moves[1])
        last += 1
    names = _unpacked(statement)
    if not moved or moved != set(names) or len(suffixes) != 1:
        return
    changed = _changed(written, statement, names, suffixes.pop())
    if changed is not None and len(changed.rstrip()) <= written.width:
        lines[statement.lineno - 1] = changed
        lines[first - 1 : last - 1] = [""] * (last - first)


def _unpacked(statement: ast.Assign) -> list[str]:
    """The names that a statement unpacks a value into, when these are all that it binds."""
    target = statement.targets[0] if len(statement.targets) == 1 else None
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    names = [element.id for element in elements if isinstance(element, ast.Name)]
    return names if len(names) == len(elements) else []


def _changed(written: Written, statement: ast.Assign, names: list[str], suffix: str) -> str | None:
    """The line of an unpacking that moves each part, unless the move asks for what that binds."""
    value, line = statement.value, written.after.lines[statement.lineno - 1]
    asked = read_names(ast.parse(f"_{suffix}")) - {"_"}
    if asked & {*names, *_bound_within(value)}:
        return None
    if isinstance(value, (ast.GeneratorExp, ast.ListComp)):
        before, element, behind = _around(written, value.elt, line)
        element = element if isinstance(value.elt, _ATOMS) else f"({element})"
        return f"{before}{element}{suffix}{behind}"
    if isinstance(value, (ast.Name, ast.Attribute)) and not _has_room(written, statement, names, suffix):
        before, whole, behind = _around(written, value, line)
        part = name_for_each({*asked, *read_names(value)})
        return f"{before}({part}{suffix} for {part} in {whole}){behind}"
    return None


def _bound_within(value: ast.expr) -> set[str]:
    """The names that a comprehension binds."""
    return {
        node.id for node in in_rows(value) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _around(written: Written, node: ast.expr, line: str) -> tuple[str, str, str]:
    """What stands on a line before a node, its own text, and what stands behind."""
    span = written.after.span(node)
    return line[: span.column], line[span.column : span.end_column], line[span.end_column :]


def _has_room(written: Written, statement: ast.Assign, names: list[str], suffix: str) -> bool:
    """Whether one line can hold the moves of all names, one after the other."""
    moves = f"{', '.join(names)} = {', '.join(f'{name}{suffix}' for name in names)}"
    return statement.col_offset + len(moves) <= written.width
