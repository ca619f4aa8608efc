"""Texts: the lines of the files that a run points into, those of notebooks cell by cell."""

from __future__ import annotations

import functools
import json
import tokenize
from pathlib import Path

from devfix.observation.record import Place


def lines_of(place: Place) -> tuple[str, ...]:
    """The lines of the file or cell of a place; nothing where it cannot be read, or has changed since."""
    lines = _cell(place.file, place.cell) if place.cell is not None else _file(place.file)
    there = lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""
    return lines if there == place.text else ()


@functools.lru_cache(maxsize=256)
def _file(path: str) -> tuple[str, ...]:
    try:
        with tokenize.open(path) as file:
            return tuple(file)
    except (OSError, SyntaxError, UnicodeError):
        return ()


@functools.lru_cache(maxsize=16)
def _notebook(path: str) -> tuple[tuple[str, ...], ...]:
    try:
        cells = json.loads(Path(path).read_text(encoding="utf-8-sig"))["cells"]
        code = [cell["source"] for cell in cells if cell.get("cell_type") == "code"]
        return tuple(tuple("".join(source).splitlines(keepends=True)) for source in code)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return ()


def _cell(path: str, number: int) -> tuple[str, ...]:
    cells = _notebook(path)
    return cells[number - 1] if 0 < number <= len(cells) else ()
