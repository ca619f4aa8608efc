"""Cells: a notebook that the client has open cell by cell, and the one program that its cells are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from devfix.findings import Finding, Note, Span
from devfix.notebooks import CellPlace, Notebook, SeparationError


@dataclass(frozen=True)
class OpenNotebook:
    """The Python cells of a notebook by their URIs, in order, and what they read like as one."""

    uri: str
    path: str
    version: int
    cells: tuple[str, ...]
    notebook: Notebook

    def place(self, span: Span) -> tuple[str, Span]:
        """The cell that a region of the program is in, and the region there."""
        number, within = self.notebook.layout().span(span)
        return self.cells[number - 1], within

    def point(self, cell: str, point: tuple[int, int]) -> tuple[int, int] | None:
        """The place in the program of one in a cell; None where that is no Python."""
        return self.notebook.layout().position(CellPlace(self.cells.index(cell) + 1, *point))

    def texts_after(self, program: str) -> Iterator[tuple[str, str]]:
        """Each cell with its text when the program is another; none when that cannot be taken apart."""
        try:
            texts = self.notebook.layout(program).texts
        except SeparationError:
            return
        yield from zip(self.cells, texts, strict=True)

    def in_cells(self, finding: Finding, is_here: Callable[[str], bool]) -> Finding:
        """A finding with cells for the places that are in this notebook."""

        def moved(note: Note) -> Note:
            if not is_here(note.path):
                return note
            cell, span = self.place(note.span)
            return replace(note, path=cell, span=span)

        cell, span = self.place(finding.span)
        marks, notes = tuple(map(moved, finding.marks)), tuple(map(moved, finding.notes))
        focus = finding.focus and self.place(finding.focus)[1]
        return replace(finding, path=cell, span=span, marks=marks, notes=notes, focus=focus)
