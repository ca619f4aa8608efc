"""Diff rows: a patch as lines that stand side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

#: One line on each side: number and text before, number and text after; None where a side has no line.
Row = tuple[int | None, str | None, int | None, str | None]

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def diff_files(diff: str, most_rows: int) -> list[dict[str, Any]]:
    """The files of a git diff: path, hunks, and whether rows were left out at the end."""
    files: list[dict[str, Any]] = []
    left = most_rows
    for block in _blocks(diff):
        hunks: list[dict[str, Any]] = []
        cut = False
        for heading, lines, starts in _hunks(block):
            rows = list(_rows(lines, *starts))
            cut = cut or len(rows) > left
            rows = rows[:left]
            left -= len(rows)
            if rows:
                hunks.append({"heading": heading, "rows": rows})
        files.append({"path": _path(block), "hunks": hunks, "cut": cut})
    return files


def _blocks(diff: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in diff.split("\n"):
        if line.startswith("diff --git "):
            if block:
                yield block
            block = []
        block.append(line)
    if block and block[0].startswith("diff --git "):
        yield block


def _path(block: Sequence[str]) -> str:
    for line in block:
        if line.startswith("+++ "):
            return _unquoted(line[4:].rstrip("\t")).removeprefix("b/")
    return block[0].rpartition(" b/")[2]


def _unquoted(name: str) -> str:
    """A name as git writes one that holds odd characters: bytes of UTF-8 in octal."""
    quoted = _QUOTED.fullmatch(name)
    if quoted is None:
        return name
    data, text, position = bytearray(), quoted.group(1), 0
    while position < len(text):
        if text[position] != "\\":
            data += text[position].encode()
            position += 1
        elif text[position + 1 : position + 4].isdecimal():
            data.append(int(text[position + 1 : position + 4], 8))
            position += 4
        else:
            data += _ESCAPES.get(text[position + 1], text[position + 1]).encode()
            position += 2
    return data.decode("utf-8", "replace")


def _hunks(block: Sequence[str]) -> Iterator[tuple[str, list[str], tuple[int, int]]]:
    heading, lines = "", list[str]()
    starts: tuple[int, int] | None = None
    for line in block:
        match = _HUNK.match(line)
        if match:
            if starts is not None:
                yield heading, lines, starts
            heading, lines = match.group(3), []
            starts = int(match.group(1)), int(match.group(2))
        elif starts is not None:
            lines.append(line)
    if starts is not None:
        yield heading, lines, starts


def _rows(lines: Sequence[str], old: int, new: int) -> Iterator[Row]:
    gone: list[str] = []
    come: list[str] = []

    def together() -> Iterator[Row]:
        nonlocal old, new
        for number in range(max(len(gone), len(come))):
            before = gone[number] if number < len(gone) else None
            after = come[number] if number < len(come) else None
            yield (None if before is None else old, before, None if after is None else new, after)
            old += before is not None
            new += after is not None
        gone.clear()
        come.clear()

    for line in lines:
        if line.startswith("-"):
            if come:
                yield from together()
            gone.append(line[1:].rstrip("\r"))
        elif line.startswith("+"):
            come.append(line[1:].rstrip("\r"))
        elif line.startswith(" "):
            yield from together()
            yield (old, line[1:].rstrip("\r"), new, line[1:].rstrip("\r"))
            old, new = old + 1, new + 1
    yield from together()
