"""Texts: the lines of the files that a run points into, those of notebooks cell by cell."""

from __future__ import annotations

import functools
import io
import tokenize
from pathlib import Path

from devfix.notebooks import Notebook, NotebookError
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
        cells = Notebook.parse(Path(path).read_bytes().decode("utf-8-sig")).cells
    except (OSError, UnicodeError, NotebookError):
        return ()
    return tuple(tuple(io.StringIO(text, newline="")) for text in cells.texts)


def _cell(path: str, number: int) -> tuple[str, ...]:
    cells = _notebook(path)
    return cells[number - 1] if 0 < number <= len(cells) else ()
