"""Unpackings: what is computed for each of several names moves where it is computed, or taken out of what holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from devfix.joined_moves import WIDTH
from devfix.tidying.functions import read_names
from devfix.tidying.lines import moves_of, name_for_each
from devfix.tidying.written import Written

_BLOCKS = ("body", "orelse", "finalbody")
#: What a method can be called of without parentheses.
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def moved_at_once(written: Written) -> str:
    """The text with new moves of all names of an unpacking in what is unpacked.

    ``a, b = (f(x) for x in batch)`` becomes ``a, b = (f(x).to(device) for x in batch)``; where moves of ``a, b, c = batch``
    take several lines, it becomes ``a, b, c = (t.to(device) for t in batch)``.
    """
    lines = list(written.after.lines)
    for block in list(_blocks(written.after.tree)):
        for statement, following in pairwise(block):
            _move(written, lines, statement, following)
    return "".join(lines)


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _move(written: Written, lines: list[str], statement: ast.stmt, following: ast.stmt) -> None:
    """Takes the lines of the moves that begin with ``following`` away, where the unpacking can move as much."""
    names = _unpacked(statement)
    if not names or statement.lineno != statement.end_lineno:
        return
    first, found = following.lineno, dict[str, str]()
    last = first
    while (
        last <= len(lines) and written.is_new_line(last) and (moves := moves_of(lines[last - 1])) is not None
    ):
        found.update(dict.fromkeys(moves[1], moves[0]))
        last += 1
    if set(found) != names or len(set(found.values())) != 1:
        return
    assert isinstance(statement, ast.Assign)  # noqa: S101 - what unpacks is
    changed = _changed(written, statement, next(iter(found.values())), several=last - first > 1)
    if changed is not None:
        lines[statement.lineno - 1] = changed
        lines[first - 1 : last - 1] = [""] * (last - first)


def _unpacked(statement: ast.stmt) -> set[str]:
    """The names that a statement unpacks a value into, when these are all that it binds."""
    target = (
        statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    )
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    names = {element.id for element in elements if isinstance(element, ast.Name)}
    return names if len(names) == len(elements) else set()


def _changed(written: Written, statement: ast.Assign, suffix: str, *, several: bool) -> str | None:
    """The line of an unpacking that moves each part, unless that asks for what the unpacking binds, or is too long."""
    value, source = statement.value, written.after
    asked = read_names(ast.parse(f"_{suffix}")) - {"_"}
    if asked & _unpacked(statement):
        return None
    if isinstance(value, (ast.GeneratorExp, ast.ListComp)):
        if asked & {
            part.id
            for each in value.generators
            for part in ast.walk(each.target)
            if isinstance(part, ast.Name)
        }:
            return None
        begin, end = source.span(value.elt).start[1], source.span(value.elt).end[1]
        line = source.lines[statement.lineno - 1]
        element = line[begin:end]
        element = element if isinstance(value.elt, _ATOMS) else f"({element})"
        changed = f"{line[:begin]}{element}{suffix}{line[end:]}"
    elif several and isinstance(value, (ast.Name, ast.Attribute)):
        begin, end = source.span(value).start[1], source.span(value).end[1]
        line, part = source.lines[statement.lineno - 1], name_for_each(asked)
        changed = f"{line[:begin]}({part}{suffix} for {part} in {line[begin:end]}){line[end:]}"
    else:
        return None
    return changed if len(changed.rstrip()) <= WIDTH else None
