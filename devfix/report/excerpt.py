"""Excerpt: lines of source with carets under what matters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from devfix.findings import Note, Span
from devfix.report.paint import Paint

#: Longer lines are cut: nobody reads minified code in a report.
_WIDTH = 160
_TAB = "    "


def excerpt(lines: Sequence[str], marks: Sequence[Note], paint: Paint) -> Iterator[str]:
    """The marked lines of one file, each followed by its carets and their labels."""
    numbers = {mark.span.line for mark in marks if mark.span.line <= len(lines)}
    yield from excerpt_of({number: lines[number - 1] for number in numbers}, marks, paint)


def excerpt_of(lines: Mapping[int, str], marks: Sequence[Note], paint: Paint) -> Iterator[str]:
    """The same where just those lines are known, by their numbers."""
    numbers = sorted(lines)
    if not numbers:
        return
    gutter = len(str(numbers[-1]))
    bar = paint("blue", " " * gutter + " |")
    yield bar
    previous = numbers[0]
    for number in numbers:
        if number > previous + 1:
            yield paint("blue", "." * min(gutter + 2, 3))
        yield from _marked_line(number, lines[number], marks, gutter, paint)
        previous = number
    yield bar


def _marked_line(number: int, line: str, marks: Sequence[Note], gutter: int, paint: Paint) -> Iterator[str]:
    line = line.rstrip("\r\n")
    here = sorted({(mark.span, mark.text) for mark in marks if mark.span.line == number})
    start = _window(line, [span for span, _ in here])
    yield f"{paint('blue', f'{number:>{gutter}} |')} {_crop(line, start)}".rstrip()
    for span, label in here:
        carets = _carets(line, span, start)
        text = f"{carets} {label}".rstrip()
        indent = text[: len(text) - len(text.lstrip())]
        yield f"{paint('blue', ' ' * gutter + ' |')} {indent}{paint('red', text.lstrip())}"


def _window(line: str, spans: Sequence[Span]) -> int:
    """Where the shown part of a long line begins."""
    if len(line) <= _WIDTH:
        return 0
    return max(0, min(span.column for span in spans) - _WIDTH // 4)


def _crop(line: str, start: int) -> str:
    return "".join(_glyph(character) for character in line[start : start + _WIDTH])


def _carets(line: str, span: Span, start: int) -> str:
    end = span.end_column if span.end_line == span.line else len(line)
    first, last = max(span.column - start, 0), min(end - start, _WIDTH)
    shown = line[start : start + _WIDTH]
    return " " * _width(shown[:first]) + "^" * max(_width(shown[first:last]), 1)


def _width(text: str) -> int:
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if character == "\t":
        return len(_TAB)
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _glyph(character: str) -> str:
    """A character as it can be shown: no control codes reach the terminal."""
    if character == "\t":
        return _TAB
    return character if character.isprintable() or unicodedata.combining(character) else "?"
