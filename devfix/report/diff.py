"""Diff: changes as a patch that ``git apply`` and ``patch -p1`` take."""

from __future__ import annotations

import difflib
import os

from devfix.report.paint import Paint, printable_line
from devfix.report.results import Results
from devfix.source import Source

_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


def render_diff(results: Results, paint: Paint) -> bytes:
    """The changes of a run, each file's lines in that file's own encoding; at a terminal with nothing that one would obey."""
    return b"".join(
        _file_diff(results.sources[report.path], report.new_text, paint)
        for report in results.changed
        if report.new_text is not None
    )


def diff_encoding(source: Source, paint: Paint) -> str:
    """The encoding of a file's lines: its own, in which a terminal might find codes to obey."""
    return "utf-8" if paint.terminal else source.encoding


def _file_diff(source: Source, new_text: str, paint: Paint) -> bytes:
    header, lines = unified_diff(source, new_text)
    names = "".join(_patch_line(line, "bold", paint) for line in header)
    body = "".join(_patch_line(line, _COLOURS.get(line[0]), paint) for line in lines)
    return os.fsencode(names) + body.encode(
        diff_encoding(source, paint), errors="backslashreplace" if paint.terminal else "strict"
    )


def unified_diff(source: Source, new_text: str) -> tuple[list[str], list[str]]:
    """The two header lines of a unified diff from the source to its new text, and the other lines."""
    mark = "\ufeff" if source.bom else ""
    before, after = _lines(mark + source.file_text()), _lines(mark + source.file_text(new_text))
    old_name, new_name = _name("a", source.path), _name("b", source.path)
    lines = list(difflib.unified_diff(before, after, old_name, new_name))
    return lines[:2], lines[2:]


def _lines(text: str) -> list[str]:
    # Patches know line feeds only: a carriage return is part of its line.
    *ended, last = text.split("\n")
    return [line + "\n" for line in ended] + ([last] if last else [])


def _name(side: str, path: str) -> str:
    name = f"{side}/{path.replace(os.sep, '/').lstrip('/')}"
    if not all(map(_stands_for_itself, name)):
        return f'"{"".join(map(_quoted, name))}"'
    # A tab ends a name that holds blanks; without it, the rest would read as a time.
    return f"{name}\t" if " " in name else name


def _stands_for_itself(letter: str) -> bool:
    """Whether git and patch read a letter of a name as it is; bytes that are no text they do."""
    return letter not in '"\\' and (letter.isprintable() or "\udc80" <= letter <= "\udcff")


def _quoted(letter: str) -> str:
    """A letter as C writes it, where it does not stand for itself."""
    if _stands_for_itself(letter):
        return letter
    return f"\\{letter}" if letter in '"\\' else "".join(f"\\{byte:03o}" for byte in os.fsencode(letter))


def _patch_line(line: str, style: str | None, paint: Paint) -> str:
    text = line.removesuffix("\n")
    if paint.terminal:
        text = printable_line(text)
    ending = "\n" if line.endswith("\n") else "\n\\ No newline at end of file\n"
    return (paint(style, text) if style else text) + ending
