"""Source: one file's text with everything needed to point into it and to write it back.

Of a notebook the text is the Python of its cells, one after the other: whatever reads, judges or edits a
source need not know that it is one. Where places are shown, ``cell_span`` tells the cell.
"""

from __future__ import annotations

import ast
import codecs
import io
import os
import tokenize
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol, cast

from devfix.dynamic_imports import named_in
from devfix.file_report import Skipped
from devfix.findings import Span
from devfix.late_bodies import parsed, tree_of
from devfix.regular_files import read_regular
from devfix.suppression import Suppression, find_suppressions

if TYPE_CHECKING:
    from devfix.notebooks import Notebook

#: Larger files are generated data; analysing one would take minutes and gigabytes.
MAX_BYTES = 8 * 1024 * 1024
#: A notebook's pictures are most of it, and are not analysed.
MAX_NOTEBOOK_BYTES = 128 * 1024 * 1024
NOTEBOOK_SUFFIX = ".ipynb"
#: What the reason begins with for which a text is none that a notebook could hold.
REFUSED = "the cells cannot be"
#: A piece of a text that stands in a message is not longer.
_TEXT_LIMIT = 60
#: A line that a report may show is not longer.
_LINE_LIMIT = 10_000
#: A word that one in so many lines has is looked for line by line.
_FREQUENT = 16
_NUL = "is not Python text: it contains NUL bytes"


class _Located(Protocol):
    """What an ``ast`` node that has a place in the text knows of it."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


class Source:
    """The text of one file, its syntax tree and its lines.

    The text keeps the file's own newlines, so writing it back is exact to the byte. ``ast``
    counts UTF-8 bytes; everything here speaks in code points. With a ``notebook`` the text is its
    program, or what edits have made of that.
    """

    def __init__(
        self,
        path: str,
        text: str,
        *,
        encoding: str = "utf-8",
        bom: bool = False,
        notebook: Notebook | None = None,
    ) -> None:
        self.path = path
        self.text = text
        self.encoding = encoding
        self.bom = bom
        self.notebook = notebook
        self._ascii = text.isascii()
        self._encoded: dict[int, bytes | None] = {}
        #: Where bodies of functions stand that are parsed when they are asked for, as an earlier run found them.
        self.late_bodies = ""

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    def __getstate__(self) -> dict[str, object]:
        """The plain data only: trees are cheaper to build again than to pickle."""
        names = ("path", "text", "encoding", "bom", "notebook", "late_bodies")
        return {name: self.__dict__[name] for name in names}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._ascii = self.text.isascii()
        self._encoded = {}

    def with_text(self, text: str) -> Source:
        """The same file with other text; the source itself, with the tree that it may have, where that is its text."""
        if text == self.text:
            return self
        return Source(self.path, text, encoding=self.encoding, bom=self.bom, notebook=self.notebook)

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; raises what ``ast.parse`` raises."""
        if self.late_bodies:
            return tree_of(self.lines, self.late_bodies, self.path)
        return parsed(self.text, self.path)

    @property
    def is_parsed(self) -> bool:
        """Whether the tree is there."""
        return "tree" in self.__dict__

    def forget(self) -> None:
        """Free what was derived from the text, and is many times as large; it is made again when needed."""
        for derived in ("tree", "lines", "_ends", "_lines_with", "suppressions"):
            self.__dict__.pop(derived, None)
        self._encoded.clear()

    @cached_property
    def lines(self) -> list[str]:
        """The physical lines with their newlines, split where Python splits them."""
        return list(io.StringIO(self.text, newline=""))

    def has_between(self, word: str, first: int, last: int) -> bool:
        """Whether ``word`` is in one of the lines from ``first`` up to ``last``, both included."""
        return self.has_one_between((word,), first, last)

    def has_one_between(self, words: tuple[str, ...], first: int, last: int) -> bool:
        """The same for one of some words."""
        found = self._lines_with.get(words)
        if found is None:
            found = self._lines_with[words] = sorted(
                {line for word in words for line in self._lines_of(word)}
            )
        index = bisect_left(found, first)
        return index < len(found) and found[index] <= last

    def _lines_of(self, word: str) -> Iterator[int]:
        place = self.text.find(word)
        if place < 0:
            return
        if self.text.count(word) * _FREQUENT > len(self.lines):  # one look at each line takes less
            yield from [number for number, line in enumerate(self.lines, 1) if word in line]
            return
        while place >= 0:
            line = bisect_right(self._ends, place)
            yield line + 1
            place = self.text.find(word, self._ends[line])

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self.lines)))

    @cached_property
    def _lines_with(self) -> dict[tuple[str, ...], list[int]]:
        return {}

    @cached_property
    def newline(self) -> str:
        """The newline of the first line, or a line feed where there is none."""
        if not self.lines:
            return "\n"
        first = self.lines[0]
        return next((end for end in ("\r\n", "\n", "\r") if first.endswith(end)), "\n")

    @cached_property
    def named_modules(self) -> tuple[str, ...]:
        """The modules that texts in the file may name; each project that the file is in asks for them."""
        return tuple(named_in(self.text))

    @cached_property
    def suppressions(self) -> tuple[Suppression, ...]:
        """The comments that tell devfix to be quiet."""
        return find_suppressions(self.text)

    def span(self, node: ast.AST) -> Span:
        """Where ``node`` stands; it must be of a kind that has a place."""
        place = cast("_Located", node)
        line, end_line = place.lineno, place.end_lineno or place.lineno
        end = place.col_offset if place.end_col_offset is None else place.end_col_offset
        if self._ascii:
            return Span(line, place.col_offset, end_line, end)
        return Span(line, self.column(line, place.col_offset), end_line, self.column(end_line, end))

    def column(self, line: int, byte_offset: int) -> int:
        """The column in code points of a UTF-8 byte offset in ``line``."""
        if self._ascii:
            return byte_offset
        if line not in self._encoded:
            text = self.lines[line - 1]
            self._encoded[line] = None if text.isascii() else text.encode()
        encoded = self._encoded[line]
        return byte_offset if encoded is None else len(encoded[:byte_offset].decode())

    def segment(self, span: Span) -> str:
        """The text at ``span``."""
        if span.line == span.end_line:
            return self.lines[span.line - 1][span.column : span.end_column]
        first = self.lines[span.line - 1][span.column :]
        middle = self.lines[span.line : span.end_line - 1]
        last = self.lines[span.end_line - 1][: span.end_column]
        return "".join([first, *middle, last])

    def line_at(self, span: Span) -> str:
        """The text at ``span`` on one line, shortened and without comments."""
        piece = self.segment(span)
        before, comment, _ = piece.partition("#")
        text = " ".join(before.split())
        if comment and len(text) <= _TEXT_LIMIT:  # else nothing behind that sign is shown, whatever it begins
            text = " ".join((_without_comments(piece) if "\n" in piece else piece).split())
        return text if len(text) <= _TEXT_LIMIT else text[: _TEXT_LIMIT - 1] + "…"

    def comments(self, span: Span) -> list[str]:
        """The comments in the lines of a statement, up to the end of the last one."""
        text = self.segment(Span(span.line, span.column, span.end_line, len(self.lines[span.end_line - 1])))
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return [token.string for token in tokens if token.type == tokenize.COMMENT]

    def cell_span(self, span: Span) -> tuple[int | None, Span]:
        """The cell of a notebook that ``span`` stands in, and the region there; any other file has no cells."""
        return (None, span) if self.notebook is None else self.notebook.layout(self.text).span(span)

    def cell_text(self, cell: int) -> str:
        """The text of a notebook's cell."""
        return "" if self.notebook is None else self.notebook.layout(self.text).texts[cell - 1]

    def file_text(self, text: str | None = None) -> str:
        """What the file reads like with its own text or with another."""
        text = self.text if text is None else text
        return text if self.notebook is None else self.notebook.written(text)

    def encode(self, text: str | None = None) -> bytes:
        """The bytes of the file, for its own text or for another; raises UnicodeEncodeError."""
        data = self.file_text(text).encode(self.encoding)
        return codecs.BOM_UTF8 + data if self.bom else data


def read_source(path: str | os.PathLike[str]) -> Source | Skipped:
    """Read one Python file or notebook, or say why it cannot be looked at."""
    name = os.fspath(path)
    try:
        data = read_bytes(name)
    except OSError as error:
        return Skipped(name, f"cannot be read: {error.strerror or error}")
    return decode_source(name, data)


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or so many that it is seen to be too large."""
    return read_regular(path, _most_bytes(path))


def _most_bytes(path: str) -> int:
    return MAX_NOTEBOOK_BYTES if path.endswith(NOTEBOOK_SUFFIX) else MAX_BYTES


def decode_source(path: str, data: bytes) -> Source | Skipped:
    """The source in ``data``, or why it is none."""
    source = decode_text(path, data)
    return source if isinstance(source, Skipped) else check_syntax(source)


def decode_text(path: str, data: bytes) -> Source | Skipped:
    """The source in ``data``, which may turn out not to parse."""
    most = _most_bytes(path)
    if len(data) > most:
        return Skipped(path, f"is larger than {most // 2**20} MiB; exclude it if that is right")
    if path.endswith(NOTEBOOK_SUFFIX):
        return _decode_notebook(path, data)
    if b"\0" in data:
        return Skipped(path, _NUL)
    try:
        encoding = _declared_encoding(data)
        source = _decode(path, data, encoding)
    except (SyntaxError, UnicodeError, LookupError) as error:
        return Skipped(path, f"cannot be decoded: {_first_line(error)}")
    if not _reads_back(source, data):
        return Skipped(path, f"cannot be written back unchanged in its encoding {encoding!r}")
    return source


def _reads_back(source: Source, data: bytes) -> bool:
    try:
        return source.encode() == data
    except UnicodeError:  # some encodings read what they cannot write
        return False


def _decode_notebook(path: str, data: bytes) -> Source | Skipped:
    from devfix.notebooks import Notebook, NotebookError, OtherLanguageError  # noqa: PLC0415 - few runs need it

    bom = data.startswith(codecs.BOM_UTF8)
    try:
        notebook = Notebook.parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Skipped(path, f"is no notebook: {_first_line(error)}")
    except NotebookError as error:
        return Skipped(path, str(error), fault=not isinstance(error, OtherLanguageError))
    if "\0" in notebook.program:
        return Skipped(path, _NUL)
    return Source(path, notebook.program, bom=bom, notebook=notebook)


def check_syntax(source: Source) -> Source | Skipped:
    """The source itself when it parses, else where and why it does not."""
    fault = None if source.notebook is None else source.notebook.fault(source.text)
    if fault is not None:
        return Skipped(source.path, fault)
    try:
        _ = source.tree
    except SyntaxError as error:
        return _broken(source, error)
    except (RecursionError, MemoryError):
        return Skipped(source.path, "is nested too deeply to be parsed")
    except ValueError as error:
        return Skipped(source.path, f"cannot be parsed: {_first_line(error)}")
    return source


def _broken(source: Source, error: SyntaxError) -> Skipped:
    number = error.lineno or 1
    line = source.lines[number - 1].rstrip("\r\n") if number <= len(source.lines) else ""
    what = error.msg.removesuffix(f" (detected at line {number})")
    reason = f"has a syntax error in line {number}: {what}"
    text = line if len(line) <= _LINE_LIMIT else None
    return Skipped(source.path, reason, line=number, column=_column_of(error, line, source), text=text)


def _column_of(error: SyntaxError, line: str, source: Source) -> int | None:
    """Where in its line an error is, unless Python tells of another text, as of what is in the braces of an f-string."""
    told = [error]
    try:
        # Under a path, Python counts in the line that the file there has now, which may be another.
        parsed(source.text, "<text>")
    except SyntaxError as nameless:
        told.append(nameless)
    for each in told:
        if (each.offset or 0) > 0 and (each.text or "").rstrip("\r\n") == line:
            return min((each.offset or 0) - 1, len(line))
    return None


def _without_comments(text: str) -> str:
    """A piece of Python without its comments, as far as it is shown; as it is where it cannot be told what is one."""
    lines, shown, last = text.splitlines(keepends=True), 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            last = token.end[0]
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column] + "\n"
            elif (shown := shown + len(token.string.strip())) > _TEXT_LIMIT:
                break
    except (SyntaxError, tokenize.TokenError):
        return text
    return "".join(lines[:last])


def _declared_encoding(data: bytes) -> str:
    lines: Iterator[bytes] = iter(data[:4096].splitlines(keepends=True))
    encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    return encoding


def _decode(path: str, data: bytes, encoding: str) -> Source:
    bom = encoding == "utf-8-sig"
    if bom:
        data, encoding = data.removeprefix(codecs.BOM_UTF8), "utf-8"
    with warnings.catch_warnings():
        # An encoding of escapes may warn of one that it does not know; that is not ours to print.
        warnings.simplefilter("ignore")
        return Source(path, data.decode(encoding), encoding=encoding, bom=bom)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
