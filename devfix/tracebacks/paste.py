"""Paste: any text that somebody copied from somewhere, as clean lines.

What terminals, log files, launchers, chat programs and web pages put around a traceback is taken away:
colours, progress bars, time stamps, ranks, quotation marks. Lines of several processes that write
into one file are told apart by their ``stream``.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

#: More is not read: the end of a log is where the error is.
MAX_CHARACTERS = 4_000_000
_MAX_LINE = 8_000
#: A prefix that only one traceback has is followed over this many lines.
_MAX_FOLLOWED = 2_000

HEADER = re.compile(r"Traceback\b[^()]{0,60}\(most recent call last\)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line, where it stands in the paste (from 1), and which process wrote it ("" when unknown)."""

    number: int
    text: str
    stream: str = ""


def decode(data: bytes) -> str | None:
    """The text in ``data``, with marks where bytes are no text; None for what is no text at all."""
    for bom, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(bom):
            return data.decode(encoding, errors="replace")
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
    return None if "\0" in text else text


def read_lines(text: str) -> list[Line]:
    """The clean lines of a paste."""
    lines = _unquoted(_physical(text[-MAX_CHARACTERS:]))
    tasks = any(
        _TASK.match(line.text) and HEADER.match(line.text.partition(": ")[2].strip()) for line in lines
    )
    return _without_own_prefixes([_unprefixed(line, tasks=tasks) for line in lines])


# ---- characters

_ANSI = re.compile(
    r"(?:\x1b|\\x1b|\\u001b|\\033|␛)(?:\[[0-9;:?]{0,40}[ -/]{0,3}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\))"
)
#: A colour whose escape character got lost on the way.
_LOST_ESCAPE = re.compile(r"\[(?:\d{1,3};){0,4}\d{1,3}m")
_LOOKALIKES = str.maketrans(
    {"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'}
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff")
)
#: What would act on a terminal, once colours are taken away.
_CONTROLS = dict.fromkeys({*range(32), *range(127, 160)} - {9, 13})
_ENTITIES = ("&quot;", "&lt;", "&gt;", "&#39;", "&#x27;")


def _physical(text: str) -> Iterator[Line]:
    text = text.translate(_LOOKALIKES)
    if any(entity in text for entity in _ENTITIES):
        text = html.unescape(text)
    for number, raw in enumerate(re.split(r"\r?\n", text), start=1):
        for line in _unescaped(raw):
            plain = _ANSI.sub("", line[:_MAX_LINE])
            shown = _LOST_ESCAPE.sub("", plain).translate(_CONTROLS)
            yield Line(number, _overwritten(shown).rstrip())


def _unescaped(line: str) -> list[str]:
    r"""The lines in a line of JSON, where ``\n`` is written out; else the line itself."""
    if "\\n" not in line or not HEADER.search(line):
        return [line]
    return line.replace("\\\\n", "\\n").replace('\\"', '"').replace("\\t", "\t").split("\\n")


def _overwritten(line: str) -> str:
    """What is left of a line that a progress bar wrote over."""
    if "\r" not in line:
        return line
    return next((part for part in reversed(line.split("\r")) if part.strip()), "")


# ---- quotation

_QUOTE = re.compile(r"(?:\s?>(?!>>))+ ?")


def _unquoted(lines: Iterable[Line]) -> list[Line]:
    """Lines without the ``>`` of a quotation; a single one is how pytest marks a line."""
    found = list(lines)
    marked = [line.text.startswith((">", " >")) and not line.text.startswith(">>>") for line in found]
    for number, line in enumerate(found):
        beside = any(marked[max(number - 1, 0) : number] + marked[number + 1 : number + 2])
        if marked[number] and (beside or HEADER.search(line.text)):
            found[number] = replace(line, text=_QUOTE.sub("", line.text, count=1))
    return found


# ---- prefixes

#: What says which process wrote a line: torchrun, srun, mpirun, Ray, docker compose.
_STREAM = re.compile(
    r"\[(?:rank|default)\d{1,6}\]: ?|\[\d{1,6},\d{1,6}\]<\w{1,10}>: ?|\((?:[\w.:<>-]{1,80} )?pid=\d{1,9}(?:, ip=[\w.:]{1,40})?\) ?"
    r"|[\w.-]{1,60}-\d{1,4} {1,10}\| "
)
#: The number of a task, as srun writes it; only where a traceback begins behind one.
_TASK = re.compile(r"\d{1,5}: ")
_TIME = r"\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_LEVEL = r"(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|Debug|Info|Warning|Error|Critical)"
_STAMP = re.compile(
    rf"\[?{_TIME}\]?(?: ?[-|:,])? ?|[EWIF]\d{{4}} \d\d:\d\d:\d\d\.\d{{1,9}} {{1,6}}\d{{1,9}} [\w./-]{{1,200}}:\d{{1,6}}\] "
    rf"|\[{_LEVEL}\](?: ?[-|:])? ?|{_LEVEL}(?:: ?[\w.]{{1,80}}:| ?[-|] ?| )(?=\S| )"
)
_MAX_PREFIXES = 6
_MAX_PREFIX = 200


def _unprefixed(line: Line, *, tasks: bool) -> Line:
    """The line without time stamps, and with its process as the stream."""
    text, stream = line.text, line.stream
    for _ in range(_MAX_PREFIXES):
        tag = _STREAM.match(text) or (_TASK.match(text) if tasks else None)
        found = tag or _STAMP.match(text)
        if found is None:
            break
        text = text[found.end() :]
        stream = tag.group().strip() if tag is not None else stream
    return Line(line.number, text, stream)


#: What stands before the word in the header of a notebook, a box, a group or a nested traceback.
_OWN_HEADER = re.compile(r"\s*(?:[\w.]+\s{2,}|Original |Exception Group |[+|╭─┌│-].*)?$")
_NUMBER = re.compile(r"\d+")


def _without_own_prefixes(lines: list[Line]) -> list[Line]:
    """Any other prefix is known by standing before a header and, but for digits, before what follows."""
    number = 0
    while number < len(lines):
        header = HEADER.search(lines[number].text)
        before = lines[number].text[: header.start()] if header is not None else ""
        number += 1
        if before.strip() and len(before) <= _MAX_PREFIX and not _OWN_HEADER.match(before):
            lines[number - 1] = replace(lines[number - 1], text=lines[number - 1].text[len(before) :])
            number = _strip_shape(lines, number, before)
    return lines


def _strip_shape(lines: list[Line], start: int, before: str) -> int:
    shape = re.compile(r"\d+".join(re.escape(part) for part in _NUMBER.split(before)))
    for number in range(start, min(start + _MAX_FOLLOWED, len(lines))):
        found = shape.match(lines[number].text)
        if found is None or HEADER.search(lines[number].text):
            return number
        lines[number] = replace(lines[number], text=lines[number].text[found.end() :])
    return min(start + _MAX_FOLLOWED, len(lines))
