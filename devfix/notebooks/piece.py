"""Piece: the Python of one cell, with stand-ins for what only IPython understands, and the cell made of it again."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from devfix.hunks import hunks, unchanged
from devfix.notebooks.layout import Line
from devfix.simulator.cells import Escape, parses, read_cell, split_lines, without

#: How the comments begin that are put into a program text and taken out of it again.
MARK = "#devfix-"
_TAG = re.compile(rf"[ \t]*{MARK}escape-(\d+)$")


class SeparationError(Exception):
    """A program text cannot be taken apart into cells any more; the message completes "an edit ..."."""


@dataclass(frozen=True)
class Piece:
    """One cell: ``header`` goes before the Python of ``body``, which is without the ``indent`` of all lines.

    The lines of ``escapes`` are known by their first.
    """

    number: int
    text: str
    header: tuple[str, ...]
    body: tuple[str, ...]
    escapes: dict[int, tuple[Escape, list[str]]] = field(compare=False)
    indent: str = ""


_reading = lru_cache(maxsize=4096)(read_cell)


def piece_of(number: int, text: str) -> Piece | None:
    """The Python of a cell; None where it is in another language."""
    reading = _reading(text)
    if not reading.is_python:
        return None
    lines = split_lines(text)
    body = [_ended(without(reading.indent, line)) for line in lines]
    for escape in reversed(reading.escapes):
        body[escape.first - 1 : escape.last] = [_stand_in(escape, body[escape.first - 1])]
    escapes = {escape.first: (escape, lines[escape.first - 1 : escape.last]) for escape in reading.escapes}
    return Piece(
        number, text, tuple(lines[: reading.header]), tuple(body[reading.header :]), escapes, reading.indent
    )


@lru_cache(maxsize=4096)
def syntax_error(text: str) -> str | None:
    """What is wrong with the Python of a cell, and in which of its lines."""
    piece = piece_of(1, text)
    if piece is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("".join(piece.body))
    except SyntaxError as error:
        _, lines = restored(piece, piece.body)
        number = lines[min(error.lineno or 1, len(lines)) - 1].line
        return f"line {number}: {error.msg}"
    except (ValueError, RecursionError, MemoryError):
        # What such a text cannot be is said of the program as a whole.
        return None
    return None


def _ended(line: str) -> str:
    return line.rstrip("\r\n") + "\n"


def _stand_in(escape: Escape, line: str) -> str:
    """A line of Python for one that is none."""
    return f"{escape.indent}{_python_of(escape, line)}  {MARK}escape-{escape.first}\n"


def _python_of(escape: Escape, line: str) -> str:
    if escape.prefix:
        return line[len(escape.indent) + len(escape.prefix) :].rstrip()
    return f"{escape.target} get_ipython()" if escape.target else "pass"


def restored(piece: Piece, body: Sequence[str]) -> tuple[str, list[Line]]:
    """The text of a cell for the lines that its Python has now, and where each of these stands in it.

    Raises SeparationError.
    """
    start, end = _without_new_blanks(piece.body, body)
    at = len(piece.header) + 1
    lines = [Line(piece.number, at, is_own=False)] * start
    made: list[str] = []
    seen: list[int] = []
    for line in body[start:end]:
        tag = _TAG.search(line.rstrip())
        if tag is None:
            made.append(piece.indent + line if line != "\n" else line)
            lines.append(Line(piece.number, at, 0, len(piece.indent)))
        else:
            seen.append(int(tag[1]))
            made += _unescaped(piece, line, tag)
            lines.append(_line_of_escape(piece, line, int(tag[1]), at))
        at = len(piece.header) + 1 + len(made)
    lines += [Line(piece.number, at, is_own=False)] * (len(body) - end)
    if sorted(seen) != sorted(piece.escapes):
        raise SeparationError("takes away a line that only IPython understands")
    return piece.text if tuple(body) == piece.body else _with_newlines_of(piece, made), lines


def _unescaped(piece: Piece, line: str, tag: re.Match[str]) -> Iterator[str]:
    """The lines of the cell for one that stands in for them."""
    escape, original = piece.escapes.get(int(tag[1]), (None, []))
    code, indent = line[: tag.start()].strip(), _indent_of(line)
    if (
        escape is None
        or not _still_stands(escape, code, original)
        or (escape.prefix and indent != escape.indent)
    ):
        raise SeparationError("changes a line that only IPython understands")
    if escape.prefix:
        yield f"{piece.indent}{indent}{escape.prefix}{code}\n"
    else:
        yield piece.indent + indent + _ended(original[0]).lstrip(" \t")
        yield from map(_ended, original[1:])


def _still_stands(escape: Escape, code: str, original: Sequence[str]) -> bool:
    """Whether what stands for a line is what it was, or (a statement that a magic runs) a whole statement."""
    if escape.prefix:
        return bool(code) and not code.startswith("#") and parses(code)
    return code == _python_of(escape, original[0]).strip()


def _line_of_escape(piece: Piece, line: str, number: int, at: int) -> Line:
    escape, _ = piece.escapes[number]
    after = len(_indent_of(line)) if escape.prefix else 0
    return Line(piece.number, at, after, len(piece.indent) + len(escape.prefix))


def _indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _without_new_blanks(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Where the lines of a cell begin and end when no more blank ones stand around them than did before."""
    start, end = 0, len(after)
    while start < end and _blanks(after[start:]) > _blanks(before):
        start += 1
    while end > start and _blanks(after[start:end][::-1]) > _blanks(before[::-1]):
        end -= 1
    return start, end


def _blanks(lines: Sequence[str]) -> int:
    """How many blank lines there are before the first that is none."""
    return next((number for number, line in enumerate(lines) if line.strip()), len(lines))


def _with_newlines_of(piece: Piece, made: Sequence[str]) -> str:
    """The new text of a cell, with its own newlines, and the last line ended as it was."""
    old, new = split_lines(piece.text), [*map(_ended, piece.header), *made]
    newline = _newline_of(old[0]) if old else ""
    endings = [newline or "\n"] * len(new)
    ended = [*map(_ended, old)]
    for first, last, new_first, new_last in unchanged(hunks(ended, new), ended, new):
        kept = [_newline_of(line) for line in old[first:last]]
        endings[new_first:new_last] = [ending or newline or "\n" for ending in kept]
    if new and old and not _newline_of(old[-1]):
        endings[-1] = ""
    return "".join(line.rstrip("\n") + ending for line, ending in zip(new, endings, strict=True))


def _newline_of(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
