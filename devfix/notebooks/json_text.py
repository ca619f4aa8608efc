"""JSON text: where the parts of a JSON document stand in it, so that one can be replaced and the rest be kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
#: What one character is written as: a pair of escaped surrogates is one, too.
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)


class Part(NamedTuple):
    """A value of a document, and the region of the text where it is written."""

    value: Any
    start: int
    end: int


def document(text: str) -> Part:
    """The one value that a text holds; raises JSONDecodeError, which is a ValueError, for any other text."""
    part = _part(text, _skip(text, 0))
    if _skip(text, part.end) != len(text):
        raise json.JSONDecodeError("Extra data", text, part.end)
    return part


def members(text: str, part: Part) -> dict[str, Part]:
    """The members of an object; of a key that is there twice the last one, as everywhere."""
    found: dict[str, Part] = {}
    at = _skip(text, part.start + 1)
    while text[at] != "}":
        key = _part(text, at)
        # Past the colon.
        found[key.value] = value = _part(text, _skip(text, _skip(text, key.end) + 1))
        at = _next(text, value.end)
    return found


def items(text: str, part: Part) -> Iterator[Part]:
    """The items of an array."""
    at = _skip(text, part.start + 1)
    while text[at] != "]":
        item = _part(text, at)
        yield item
        at = _next(text, item.end)


def units(literal: str) -> list[tuple[str, str]]:
    """The characters of a string's literal, each with how it is written there."""
    written = _UNIT.findall(literal[1:-1])
    return [(unit if len(unit) == 1 else json.loads(f'"{unit}"'), unit) for unit in written]


def _part(text: str, start: int) -> Part:
    value, end = _DECODER.raw_decode(text, start)
    return Part(value, start, end)


def _next(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()
