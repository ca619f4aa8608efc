"""Cells: code cells as one program text, and that text taken apart into cells again.

A comment line tells where a cell begins; the blank line behind it keeps it apart from the statement that
follows. Lines that only IPython understands are stood in for by Python with a comment at its end. Edits
leave both alone, so that the text can be taken apart again after any number of them; where they do not,
it cannot be, and the edit is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from devfix.notebooks.layout import Layout, Line
from devfix.notebooks.piece import MARK, Piece, SeparationError, piece_of, restored
from devfix.simulator.cells import split_lines

_CELL = f"{MARK}cell-"


@dataclass(frozen=True)
class Cells:
    """The texts of code cells, and which of them are in the language of the kernel."""

    texts: tuple[str, ...]
    in_python: tuple[bool, ...]

    @cached_property
    def program(self) -> str:
        """The text that is analysed: all the Python there is, in the order of the cells."""
        bodies = ["".join(piece.body) for piece in self._pieces]
        later = [f"{_marker(piece)}\n{body}" for piece, body in zip(self._pieces, bodies, strict=True)][1:]
        return "".join([*bodies[:1], *later])

    def layout(self, program: str) -> Layout:
        """The cells that a program text falls into; raises SeparationError."""
        texts = list(self.texts)
        lines: list[Line] = []
        for piece, body, before in self._separated(split_lines(program)):
            texts[piece.number - 1], found = restored(piece, body)
            lines += [Line(piece.number, 1, is_own=False)] * before + found
        return Layout(tuple(texts), tuple(lines))

    @cached_property
    def _pieces(self) -> list[Piece]:
        found: list[Piece] = []
        for number, (text, in_python) in enumerate(zip(self.texts, self.in_python, strict=True), 1):
            piece = piece_of(number, text) if in_python else None
            found += [piece] if piece is not None else []
        return found

    def _separated(self, lines: Sequence[str]) -> Iterator[tuple[Piece, list[str], int]]:
        """Each piece with its lines, and how many lines go before these."""
        starts = [number for number, line in enumerate(lines) if line.startswith(_CELL)]
        if [lines[number] for number in starts] != [_marker(piece) for piece in self._pieces[1:]]:
            raise SeparationError("reaches across cells")
        for piece, start, end in zip(self._pieces, [-1, *starts], [*starts, len(lines)], strict=False):
            first = start + 1
            if start >= 0 and first < end and not lines[first].strip():
                first += 1
            yield piece, list(lines[first:end]), first - max(start, 0)


def _marker(piece: Piece) -> str:
    return f"{_CELL}{piece.number}\n"
