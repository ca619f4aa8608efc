"""Documents: what the client has open, kept in step with it edit by edit."""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from devfix.lsp.cells import OpenNotebook
from devfix.lsp.positions import Lines
from devfix.notebooks import Notebook, NotebookError
from devfix.source import NOTEBOOK_SUFFIX

#: What the URI of a text begins with that was never saved.
_UNSAVED = "untitled:"
#: A folder in which nothing lies.
_NOWHERE = os.path.abspath(os.path.join(os.sep, "(unsaved)"))

Change = types.TextDocumentContentChangeEvent


class OutOfStepError(Exception):
    """A change of a text that the server does not have."""


@dataclass(frozen=True)
class Document:
    """One text of the client's.

    ``version`` is what the client calls it; ``revision`` tells it from every other text the server has seen.
    """

    uri: str
    path: str
    text: str
    version: int
    revision: int
    encoding: str
    language: str = "python"

    @property
    def is_program(self) -> bool:
        """Whether it is Python with a place on disk; all else is only kept in step.

        A notebook is, where the client shows its cells as one Python text, as Jupyter does.
        """
        suffixes = (".py", ".pyw", NOTEBOOK_SUFFIX) if self.language == "python" else (".py", ".pyw")
        return os.path.isabs(self.path) and self.path.endswith(suffixes)

    @property
    def item(self) -> types.TextDocumentItem:
        """What a client would open it with."""
        return types.TextDocumentItem(self.uri, self.language, self.version, self.text)

    @cached_property
    def lines(self) -> Lines:
        """Where its lines begin."""
        return Lines(self.text, self.encoding)

    def text_after(self, changes: Sequence[Change]) -> str:
        """The text with changes made, each to what the one before it left."""
        lines = self.lines
        for change in changes:
            lines = Lines(_after(lines, change), self.encoding)
        return lines.text


class Documents:
    """The open documents, by path. Those that were never saved are analysed as if they lay in ``home``."""

    def __init__(self, encoding: str, home: str | None = None) -> None:
        self.encoding = encoding
        self.home = home
        self._unsaved: dict[str, str] = {}
        self._by_path: dict[str, Document] = {}
        self._cells: dict[str, Document] = {}
        self._notebooks: dict[str, OpenNotebook] = {}
        self._revisions = count(1)

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_path.values()))

    def texts(self) -> Iterator[Document]:
        """What the client has open: files, and the cells of notebooks."""
        yield from (document for path, document in self._by_path.items() if path not in self._notebooks)
        yield from self._cells.values()

    def programs(self) -> Iterator[Document]:
        """The open documents that are analysed: Python files and whole notebooks, no single cells."""
        return (document for document in self if document.is_program)

    def get(self, path: str) -> Document | None:
        """The document at a path (of a cell: its URI), when it is open."""
        return self._by_path.get(path) or self._cells.get(path)

    def of(self, uri: str) -> Document | None:
        """The document that a client calls ``uri``, when it is open."""
        return self._cells.get(uri) or self._by_path.get(self.path(uri))

    def path(self, uri: str) -> str:
        """Where the document that a client calls ``uri`` is, or where it is taken to be."""
        return self._unsaved.get(uri) or path_of(uri)

    def unsaved(self) -> list[Document]:
        """The open documents that were never saved."""
        return [document for document in self if document.uri in self._unsaved]

    def open(self, item: types.TextDocumentItem) -> Document:
        """Take over a document."""
        if item.language_id == "python":
            self._find_place(item.uri, ".py")
        return self._keep(item.uri, item.text, item.version, item.language_id)

    def change(self, params: types.DidChangeTextDocumentParams) -> Document:
        """Make changes; raises OutOfStepError when the document is not open.

        They are made in the order in which they come, whatever their versions are: the stream they come by
        has an order, and to leave one out would be to lose step.
        """
        identifier = params.text_document
        document = self.of(identifier.uri)
        if document is None:
            raise OutOfStepError(f"{identifier.uri} was changed and is not open")
        text = document.text_after(params.content_changes)
        return self._keep(document.uri, text, identifier.version, document.language)

    def notebook(self, path: str) -> OpenNotebook | None:
        """The notebook at a path, when it is open cell by cell."""
        return self._notebooks.get(path)

    def notebook_of(self, document: Document) -> OpenNotebook | None:
        """The notebook that a document is a cell of."""
        return next((each for each in self._notebooks.values() if document.uri in each.cells), None)

    def analysed(self, document: Document) -> Document | None:
        """The document that is analysed for one: itself, or that of its notebook's program."""
        notebook = self.notebook_of(document)
        return document if notebook is None else self._by_path.get(notebook.path)

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> Document:
        """Take over a notebook; returns its program."""
        for item in params.cell_text_documents:
            self._keep_cell(item)
        told = params.notebook_document
        self._find_place(told.uri, NOTEBOOK_SUFFIX)
        return self._keep_notebook(told.uri, told.version, tuple(cell.document for cell in told.cells))

    def as_opened(self, program: Document) -> types.DidOpenNotebookDocumentParams:
        """What a client would open a notebook with that is open; ``program`` is its program."""
        items = [self._cells[cell].item for cell in self._notebooks[program.path].cells]
        cells = [types.NotebookCell(types.NotebookCellKind.Code, item.uri) for item in items]
        told = types.NotebookDocument(program.uri, "jupyter-notebook", program.version, cells)
        return types.DidOpenNotebookDocumentParams(told, items)

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> Document:
        """Make changes to a notebook; returns its program. Raises OutOfStepError when it is not open."""
        told = params.notebook_document
        notebook = self._notebooks.get(self.path(told.uri))
        if notebook is None:
            raise OutOfStepError(f"{told.uri} was changed and is not open")
        cells, changes = notebook.cells, params.change.cells
        structure = changes.structure if changes is not None else None
        if structure is not None:
            for item in structure.did_open or ():
                self._keep_cell(item)
            array = structure.array
            new = tuple(cell.document for cell in array.cells or ())
            cells = (*cells[: array.start], *new, *cells[array.start + array.delete_count :])
            for closed in structure.did_close or ():
                self._cells.pop(closed.uri, None)
        for change in (changes.text_content if changes is not None else None) or ():
            cell = self._cells.get(change.document.uri)
            if cell is not None:
                text = cell.text_after(change.changes)
                self._cells[cell.uri] = replace(cell, text=text, version=change.document.version)
        return self._keep_notebook(notebook.uri, told.version, cells)

    def close_notebook(self, uri: str) -> tuple[str, tuple[str, ...]]:
        """Let go of a notebook; returns its path and what its cells were called."""
        path = self.path(uri)
        self._unsaved.pop(uri, None)
        notebook = self._notebooks.pop(path, None)
        self._by_path.pop(path, None)
        cells = notebook.cells if notebook is not None else ()
        for cell in cells:
            self._cells.pop(cell, None)
        return path, cells

    def _keep_cell(self, item: types.TextDocumentItem) -> None:
        revision = next(self._revisions)
        cell = Document(
            item.uri, item.uri, item.text, item.version, revision, self.encoding, item.language_id
        )
        self._cells[item.uri] = cell

    def _keep_notebook(self, uri: str, version: int, cells: tuple[str, ...]) -> Document:
        cells = tuple(cell for cell in cells if cell in self._cells)
        try:
            notebook = Notebook.of_cells([self._cells[cell].text for cell in cells])
        except NotebookError:
            notebook = Notebook.of_cells(["" for _ in cells])
        path = self.path(uri)
        self._notebooks[path] = OpenNotebook(uri, path, version, cells, notebook)
        return self._keep(uri, notebook.program, version, "python")

    def _keep(self, uri: str, text: str, version: int, language: str) -> Document:
        document = Document(
            uri, self.path(uri), text, version, next(self._revisions), self.encoding, language
        )
        self._by_path[document.path] = document
        return document

    def close(self, uri: str) -> str:
        """Let go of a document; returns its path."""
        path = self.path(uri)
        self._unsaved.pop(uri, None)
        self._by_path.pop(path, None)
        return path

    def _find_place(self, uri: str, suffix: str) -> None:
        """Choose a path for a document that was never saved: that of no file and no other document."""
        if not is_unsaved(uri) or uri in self._unsaved:
            return
        place = intended_path(uri)
        folder = os.path.dirname(place) if place is not None else self.home
        stem = uri.removeprefix(_UNSAVED).rpartition("/")[2].removesuffix(suffix)
        # No name that anybody can import.
        paths = (os.path.join(folder or _NOWHERE, f"{stem} (unsaved{mark}){suffix}") for mark in _marks())
        self._unsaved[uri] = next(
            path for path in paths if not os.path.lexists(path) and path not in self._by_path
        )

    def uri(self, path: str) -> str:
        """The URI of a file: the client's own where it has the file open."""
        document = self.get(path)
        return document.uri if document is not None else uri_of(path)


def _marks() -> Iterator[str]:
    yield ""
    yield from map(" {}".format, count(2))


def _after(lines: Lines, change: Change) -> str:
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return change.text
    start, end = lines.offset(change.range.start), lines.offset(change.range.end)
    return lines.text[:start] + change.text + lines.text[max(start, end) :]


def text_on_disk(path: str) -> str | None:
    """The text of a file that is not open, or None where there is none; whether it parses does not matter."""
    try:
        data = Path(path).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (OSError, SyntaxError, UnicodeError, LookupError):
        return None


def is_unsaved(uri: str) -> bool:
    """Whether a URI is that of a text without a file; Neovim's buffers without names have one with nothing in it."""
    return uri.startswith(_UNSAVED) or uri == "file://"


def intended_path(uri: str) -> str | None:
    """The file that a text is to be saved as, where that is known and there is its folder."""
    path = to_fs_path(f"file:{uri.removeprefix(_UNSAVED)}")
    return path if path and os.path.isabs(path) and os.path.isdir(os.path.dirname(path)) else None


def path_of(uri: str) -> str:
    """The file that a URI names; other schemes than ``file`` stand for themselves."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path is not None else uri


def uri_of(path: str) -> str:
    """The URI of a file."""
    uri = from_fs_path(path)
    return uri if uri is not None else path
