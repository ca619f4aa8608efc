"""Cells: findings in notebooks as they are shown, by cell and by the line there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from devfix.findings import Finding, Note, Span

#: Tells the cell of a notebook that a region of a file stands in, and the region there; None where there are no cells.
Place = Callable[[str, Span], tuple[int | None, Span]]
_CELL = ":cell "


def cell_label(path: str, cell: int | None) -> str:
    """What a place in a cell begins with: ``notebook.ipynb:cell 3``, the form that other linters use."""
    return path if cell is None else f"{path}{_CELL}{cell}"


def cell_named(label: str) -> tuple[str, int | None]:
    """The path and the cell of such a label."""
    path, found, number = label.rpartition(_CELL)
    return (path, int(number)) if found and number.isdecimal() else (label, None)


def in_cells(finding: Finding, place: Place) -> Finding:
    """A finding with the labels of cells for paths, and the lines of the cells."""
    path, span = _shown(finding.path, finding.span, place)
    notes, marks = (
        tuple(Note(*_shown(note.path, note.span, place), note.text) for note in kind)
        for kind in (finding.notes, finding.marks)
    )
    return replace(finding, path=path, span=span, notes=notes, marks=marks)


def _shown(path: str, span: Span, place: Place) -> tuple[str, Span]:
    cell, inside = place(path, span)
    return cell_label(path, cell), inside
