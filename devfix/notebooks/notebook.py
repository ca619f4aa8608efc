"""Notebook: an ``.ipynb`` file, whose code cells are one program and which is written back around new cells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from devfix.notebooks.cell_source import CellSource
from devfix.notebooks.cells import Cells
from devfix.notebooks.json_text import Part, document, items, members
from devfix.notebooks.layout import Layout
from devfix.notebooks.piece import MARK, SeparationError, syntax_error
from devfix.notebooks.spelling import Spelling
from devfix.simulator.cells import is_code, is_in_python, language_of, split_lines

#: The first format that has its cells at the top.
_FORMAT = 4


class NotebookError(Exception):
    """The file is no notebook that can be read; the message completes "the file ..."."""


class OtherLanguageError(NotebookError):
    """The notebook is none of Python's."""


@dataclass(frozen=True)
class Notebook:
    """The text of a file, and where its code cells stand in it.

    Cells are code cells, counted from 1 as Jupyter would number them when they are run from top to bottom;
    those in another language are counted, too. ``program`` is the text that is analysed and rewritten,
    ``layout`` tells which line of it belongs to which cell, and ``written`` makes a file of it again.
    """

    raw: str
    sources: tuple[CellSource, ...]
    in_python: tuple[bool, ...]
    _layouts: dict[str, Layout] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def parse(cls, raw: str) -> Notebook:
        """The notebook in a text; raises NotebookError."""
        try:
            return cls._parsed(raw)
        except RecursionError:
            raise NotebookError("is nested too deeply to be a notebook") from None
        except KeyError as error:
            raise NotebookError(f"is no notebook: {error} is missing") from None
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise NotebookError(f"is no notebook: {error}") from None

    @classmethod
    def of_cells(cls, texts: Sequence[str], in_python: Sequence[bool] | None = None) -> Notebook:
        """A notebook of code cells that are in no file, such as those that an editor has open."""
        cells = [{"cell_type": "code", "source": text} for text in texts]
        notebook = cls.parse(json.dumps({"cells": cells, "nbformat": _FORMAT}))
        return cls(notebook.raw, notebook.sources, tuple(in_python or notebook.in_python))

    @classmethod
    def _parsed(cls, raw: str) -> Notebook:
        root = document(raw)
        top = members(raw, root) if isinstance(root.value, dict) else {}
        if "worksheets" in top:
            raise NotebookError(
                "is in notebook format 3; `jupyter nbconvert --to notebook --inplace` makes it one of today"
            )
        if language_of(root.value) != "python":
            raise OtherLanguageError(f"is no Python: its language is {language_of(root.value)}")
        code = [cell for cell in items(raw, _list(top["cells"])) if is_code(cell.value)]
        sources = tuple(CellSource.at(raw, members(raw, cell)["source"]) for cell in code)
        if any(MARK in source.text for source in sources):
            raise NotebookError(f"has a cell with `{MARK}`, by which devfix knows its own lines")
        return cls(raw, sources, tuple(is_in_python(cell.value) for cell in code))

    @cached_property
    def cells(self) -> Cells:
        """The texts of the cells, and what of them is Python."""
        return Cells(tuple(source.text for source in self.sources), self.in_python)

    @property
    def program(self) -> str:
        """The Python of all cells, one after the other, with lines between them that tell where each begins."""
        return self.cells.program

    def layout(self, program: str | None = None) -> Layout:
        """Where the lines of a program text, its own or one that edits have made of it, stand in the cells.

        Raises SeparationError when the text cannot be taken apart into the cells any more.
        """
        text = self.program if program is None else program
        if text not in self._layouts:
            if len(self._layouts) > _MOST_LAYOUTS:
                self._layouts.clear()
            self._layouts[text] = self.cells.layout(text)
        return self._layouts[text]

    def file_offset(self, cell: int, line: int, column: int) -> int:
        """Where in the file a place of a cell is written."""
        source = self.sources[cell - 1]
        before = sum(map(len, split_lines(source.text)[: line - 1]))
        return source.offset(self.raw, before + column)

    def fault(self, program: str) -> str | None:
        """Why a program text is none that the cells could hold: each has to be Python by itself."""
        try:
            texts = self.layout(program).texts
        except SeparationError as error:
            return f"the cells cannot be told apart: an edit {error}"
        for number, (text, in_python) in enumerate(zip(texts, self.in_python, strict=True), 1):
            wrong = syntax_error(text) if in_python else None
            if wrong is not None:
                return f"has a syntax error in cell {number}, {wrong}"
        return None

    def written(self, program: str) -> str:
        """The text of the file when its program is another; all but the sources of changed cells stays."""
        if program == self.program:
            return self.raw
        parts, at = [], 0
        for source, text in zip(self.sources, self.layout(program).texts, strict=True):
            if text != source.text:
                new = source.written(self.raw, text, self._spelling, self._separator)
                parts += [self.raw[at : source.start], new]
                at = source.end
        return "".join([*parts, self.raw[at:]])

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(literal for source in self.sources for literal in source.literals(self.raw))

    @cached_property
    def _separator(self) -> str:
        """What stands between the strings of a list somewhere in the file."""
        found = (source.separator(self.raw) for source in self.sources if source.is_list(self.raw))
        compact = "," if '": ' not in self.raw else ", "
        return next((separator for separator in found if separator), compact)


#: A repair tries many texts; the last few are asked for again.
_MOST_LAYOUTS = 8


def _list(part: Part) -> Part:
    if not isinstance(part.value, list):
        raise TypeError("it has no list of cells")
    return part
