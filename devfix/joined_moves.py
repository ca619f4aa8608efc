"""Joined moves: moves of names that are put at one place stand on one line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from devfix.findings import Edit, InsertAfter, InsertAtBodyStart
from devfix.line_width import WIDTH

_INDENT = 4
_MOVE = re.compile(
    r"(?P<name>[A-Za-z_]\w*) = (?P=name)(?P<suffix>\.(?:to\([\w.]+\)|(?:cuda|long|float|double)\(\)))"
)


def joined(edits: Iterable[Edit]) -> list[Edit]:
    """``x = x.to(d)`` and ``y = y.to(d)`` at one place become ``x, y = x.to(d), y.to(d)`` where that fits."""
    edits = _each_once(edits)
    groups: defaultdict[object, list[InsertAfter | InsertAtBodyStart]] = defaultdict(list)
    for edit in edits:
        if isinstance(edit, (InsertAfter, InsertAtBodyStart)):
            suffixes = {_suffix(line) for line in edit.code.splitlines()}
            if len(suffixes) == 1 and None not in suffixes:
                groups[type(edit), edit.span, suffixes.pop()].append(edit)
    instead: dict[Edit, Edit] = {}
    for moves in groups.values():
        line = _line(moves)
        if _fits(line):
            instead.update(dict.fromkeys(moves, line))
    return list(dict.fromkeys(instead.get(edit, edit) for edit in edits))


def _each_once(edits: Iterable[Edit]) -> list[Edit]:
    """The edits without what is inserted at one place already, for the same value on another path."""
    found: dict[object, Edit] = {}
    for edit in edits:
        key = replace(edit, rank=0) if isinstance(edit, (InsertAfter, InsertAtBodyStart)) else edit
        found.setdefault(key, edit)
    return list(found.values())


def _suffix(line: str) -> str | None:
    """What a line calls on the name that it binds again, if that is all it does."""
    move = _MOVE.fullmatch(line)
    return move["suffix"] if move is not None else None


def _line(moves: list[InsertAfter | InsertAtBodyStart]) -> InsertAfter | InsertAtBodyStart:
    ordered = sorted(moves, key=lambda move: move.rank)
    lines = [line for move in ordered for line in move.code.splitlines()]
    names, values = zip(*(line.split(" = ") for line in lines), strict=True)
    return replace(ordered[0], code=f"{', '.join(names)} = {', '.join(values)}")


def _fits(move: InsertAfter | InsertAtBodyStart) -> bool:
    inside = _INDENT if isinstance(move, InsertAtBodyStart) else 0
    return move.span.column + inside + len(move.code) <= WIDTH
