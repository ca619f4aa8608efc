"""Locations: paths and places as other programs need them: from the root of the repository, in the file as it is stored."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from devfix.findings import Span
from devfix.notebooks import Notebook
from devfix.report.results import Results
from devfix.source import Source

#: Where services for continuous integration say the checkout is.
_CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


def posix(path: str) -> str:
    """A path with slashes."""
    return path.replace(os.sep, "/")


def repository_root(environment: Mapping[str, str] = os.environ) -> str:
    """The repository around the current folder, else the checkout it is in, else the folder itself."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return str(folder)
    for name in _CHECKOUTS:
        checkout = Path(environment[name]).absolute() if environment.get(name) else None
        if checkout is not None and checkout in (here, *here.parents):
            return str(checkout)
    return str(here)


@dataclass(frozen=True)
class Root:
    """The folder that paths are told from."""

    folder: str

    def relative(self, path: str) -> str | None:
        """A path from the root, with slashes; None for what lies elsewhere."""
        absolute = os.path.abspath(path)
        prefix = self.folder.rstrip(os.sep) + os.sep
        return posix(absolute.removeprefix(prefix)) if absolute.startswith(prefix) else None

    def path(self, path: str) -> str:
        """A path from the root, or the whole path of what lies elsewhere."""
        return self.relative(path) or posix(os.path.abspath(path))

    @property
    def uri(self) -> str:
        """The folder as a URI; it ends in a slash."""
        return file_uri(self.folder).rstrip("/") + "/"


def file_uri(path: str) -> str:
    """A whole path as a URI."""
    absolute = posix(os.path.abspath(path))
    return f"file://{'' if absolute.startswith('/') else '/'}{quoted(absolute)}"


def quoted(path: str) -> str:
    """A path with slashes as a part of a URI."""
    return quote(os.fsencode(path), safe="/~:" if path[1:3] == ":/" else "/~")


@dataclass(frozen=True)
class StoredPlaces:
    """Where findings stand in the files as they are stored: of a notebook that is its JSON."""

    results: Results

    def span(self, path: str, span: Span) -> Span:
        """The region in the file for one in the text that was analysed."""
        source = self.results.source(path)
        if source is None or source.notebook is None:
            return span
        return _StoredNotebook.of(self._known, source).span(source, span)

    def lines(self, path: str) -> list[str]:
        """The lines of the file."""
        source = self.results.source(path)
        if source is None:
            return []
        return source.lines if source.notebook is None else _StoredNotebook.of(self._known, source).lines

    @cached_property
    def _known(self) -> dict[str, _StoredNotebook]:
        return {}


@dataclass(frozen=True)
class _StoredNotebook:
    """A notebook as it is, or will be, on disk."""

    notebook: Notebook

    @classmethod
    def of(cls, known: dict[str, _StoredNotebook], source: Source) -> _StoredNotebook:
        if source.path not in known:
            known[source.path] = cls(Notebook.parse(source.file_text()))
        return known[source.path]

    @cached_property
    def lines(self) -> list[str]:
        return list(io.StringIO(self.notebook.raw, newline=""))

    def span(self, source: Source, span: Span) -> Span:
        cell, inside = source.cell_span(span)
        if cell is None:
            return span
        first, last = (self.notebook.file_offset(cell, *place) for place in (inside.start, inside.end))
        return Span(*self._position(first), *self._position(last))

    def _position(self, offset: int) -> tuple[int, int]:
        before = self.notebook.raw[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1)
