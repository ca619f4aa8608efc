"""Documents: what the client has open, kept in step with it edit by edit."""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from devfix.lsp.positions import Lines
from devfix.source import NOTEBOOK_SUFFIX

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
    """The open documents, by path."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._by_path: dict[str, Document] = {}
        self._revisions = count(1)

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_path.values()))

    def programs(self) -> Iterator[Document]:
        """Those that are analysed."""
        return (document for document in self if document.is_program)

    def get(self, path: str) -> Document | None:
        """The document at a path, when it is open."""
        return self._by_path.get(path)

    def of(self, uri: str) -> Document | None:
        """The document that a client calls ``uri``, when it is open."""
        return self._by_path.get(path_of(uri))

    def open(self, item: types.TextDocumentItem) -> Document:
        """Take over a document."""
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

    def _keep(self, uri: str, text: str, version: int, language: str) -> Document:
        document = Document(uri, path_of(uri), text, version, next(self._revisions), self.encoding, language)
        self._by_path[document.path] = document
        return document

    def close(self, uri: str) -> str:
        """Let go of a document; returns its path."""
        path = path_of(uri)
        self._by_path.pop(path, None)
        return path

    def uri(self, path: str) -> str:
        """The URI of a file: the client's own where it has the file open."""
        document = self._by_path.get(path)
        return document.uri if document is not None else uri_of(path)


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


def path_of(uri: str) -> str:
    """The file that a URI names; other schemes than ``file`` stand for themselves."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path is not None else uri


def uri_of(path: str) -> str:
    """The URI of a file."""
    uri = from_fs_path(path)
    return uri if uri is not None else path
