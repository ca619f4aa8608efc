"""Key lines: on which line of a TOML file a key stands, which the parser does not tell."""

from __future__ import annotations

import re
from collections import Counter

Path = tuple[str, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")
_TRIPLE = ('"""', "'''")
_PART = re.compile(r"[\w-]+|\"[^\"]*\"|'[^']*'")


def key_lines(text: str) -> dict[Path, int]:
    """The line of each key and table, counted from 1; an array of tables has numbers for its elements.

    The text is valid TOML: a parser has seen it.
    """
    found: dict[Path, int] = {}
    table: Path = ()
    elements: Counter[Path] = Counter()
    nesting = _Nesting()
    for number, line in enumerate(text.split("\n"), 1):
        rest = line
        if nesting.is_outside:
            header, key = _HEADER.match(line), _KEY.match(line)
            if header:
                table = _parts(header.group(2))
                found.setdefault(table, number)
                if header.group(1) == "[[":
                    elements[table] += 1
                    table = (*table, str(elements[table] - 1))
                found.setdefault(table, number)
                continue
            if key:
                found.setdefault((*table, *_parts(key.group(1))), number)
                rest = line[key.end() :]
        nesting.read(rest)
    return found


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of a key, or of the nearest table around it that is known; 1 when none is."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _parts(key: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(key))


class _Nesting:
    """Whether the end of what was read lies within an array or a string of several lines."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""

    @property
    def is_outside(self) -> bool:
        return not self._quote and self._depth <= 0

    def read(self, text: str) -> None:
        position = 0
        while position < len(text):
            position = self._in_string(text, position) if self._quote else self._in_code(text, position)
        if len(self._quote) == 1:
            self._quote = ""

    def _in_string(self, text: str, position: int) -> int:
        if text[position] == "\\" and self._quote[0] == '"':
            return position + 2
        if text.startswith(self._quote, position):
            position += len(self._quote)
            self._quote = ""
            return position
        return position + 1

    def _in_code(self, text: str, position: int) -> int:
        character = text[position]
        if character == "#":
            return len(text)
        if character in "\"'":
            triple = text[position : position + 3]
            self._quote = triple if triple in _TRIPLE else character
            return position + len(self._quote)
        self._depth += (character in "[{") - (character in "]}")
        return position + 1
