"""Cells: what of a notebook's cell is Python, and what only IPython understands.

Text alone: it needs nothing but the standard library, and the tool reads notebooks with it as well.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import Any, Iterator, NamedTuple, Optional

#: Cell magics whose cell is Python all the same (IPython's documentation of built-in magics).
_PYTHON_CELL_MAGICS = frozenset("time timeit capture prun memit mprun debug python python3".split())
#: Magics that stand for a whole cell on Databricks, with one percent sign.
_OTHER_LANGUAGES = frozenset("md sql sh r scala fs".split())
#: Magics whose line is a statement of Python, behind options of one letter.
_STATEMENT = re.compile(r"%(time|timeit|prun|memit)[ \t]+(-[A-Za-z]+[ \t]*\d*[ \t]+)*(?=\S)")
#: Lines that are no Python: magics, the shell, help, and calls without parentheses.
_ESCAPED = re.compile(r"[%!?,;/]|[^#'\"]*\?{1,2}\s*$")
#: What IPython takes for a magic although no percent sign says so.
_AUTOMATIC = re.compile(r"(pip3?|conda|mamba|uv|cd|ls|cat|cp|mv|rm|mkdir|rmdir)[ \t]+[\w./~-]")
_ASSIGNED = re.compile(r"(?P<target>[\w.,\[\]()*'\" \t]+=)[ \t]*[%!]")


class Escape(NamedTuple):
    """Lines of a cell, counted from 1, that only IPython understands; the first one begins with ``indent``.

    ``target`` are the names that get what it gives (``files =``). A magic that runs a statement has a
    ``prefix``, and the statement follows behind it.
    """

    first: int
    last: int
    indent: str
    target: str = ""
    prefix: str = ""


class Reading(NamedTuple):
    """What a cell consists of: ``header`` lines up to and with a cell magic, then Python with escapes.

    All of its lines may begin with an ``indent`` that IPython takes away; places in them are those without it.
    """

    is_python: bool
    header: int = 0
    escapes: tuple[Escape, ...] = ()
    indent: str = ""


def split_lines(text: str) -> list[str]:
    """The lines with their newlines, split where Python splits them."""
    return list(io.StringIO(text, newline=""))


def read_cell(text: str) -> Reading:
    """What of a code cell is Python."""
    lines = split_lines(text)
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return Reading(True)
    if not lines[first].startswith("%%"):
        return Reading(False, len(lines)) if _is_foreign(lines[first:]) else _python(lines, 0)
    words = lines[first][2:].split()
    if not words or words[0] not in _PYTHON_CELL_MAGICS:
        return Reading(False, len(lines))
    return _python(lines, first + 1)


def _is_foreign(lines: list[str]) -> bool:
    words = lines[0][1:].split() if lines[0].startswith("%") else []
    return words[:1] != [] and words[0] in _OTHER_LANGUAGES and not parses("".join(lines[1:]))


def _python(lines: list[str], header: int) -> Reading:
    if parses("".join(lines[header:])):
        # A line of a long expression may begin with a percent sign: where all is Python, nothing is looked for.
        return Reading(True, header)
    indent = _indent_of_all(lines[header:])
    shown = [without(indent, line) for line in lines]
    is_plain = indent and parses("".join(shown[header:]))
    return Reading(True, header, () if is_plain else tuple(_found(shown, header)), indent)


def without(indent: str, line: str) -> str:
    """A line without the indentation of its cell."""
    return line[len(indent) :] if indent and line.startswith(indent) else line


def _indent_of_all(lines: list[str]) -> str:
    """What the first line of code begins with, if every line does that is not empty."""
    code = [line for line in lines if line.rstrip("\r\n")]
    first = next((line for line in code if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    return indent if all(line.startswith(indent) and line.rstrip("\r\n") != indent for line in code) else ""


def parses(text: str) -> bool:
    """Whether a text is Python as it may stand in a cell."""
    try:
        compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _found(lines: list[str], start: int) -> Iterator[Escape]:
    statement, number = "", start
    while number < len(lines):
        found = None if statement else _escape_at(lines, number)
        if found is not None:
            yield found
            number = found.last
            continue
        statement += lines[number]
        if _is_whole(statement):
            statement = ""
        number += 1


def _escape_at(lines: list[str], number: int) -> Optional[Escape]:
    line = lines[number]
    code = line.lstrip()
    indent = line[: len(line) - len(code)]
    assigned = _ASSIGNED.match(code)
    if not (assigned or _ESCAPED.match(code) or _AUTOMATIC.match(code)):
        return None
    last = number
    while last + 1 < len(lines) and lines[last].rstrip("\r\n").endswith("\\"):
        last += 1
    prefix = _STATEMENT.match(code) if last == number else None
    if prefix is not None and parses(code[prefix.end() :]):
        return Escape(number + 1, number + 1, indent, prefix=prefix[0])
    return Escape(number + 1, last + 1, indent, target=assigned["target"] if assigned else "")


def _is_whole(statement: str) -> bool:
    """Whether no bracket, string or continued line is open at the end of some lines."""
    if statement.rstrip("\r\n").endswith("\\"):
        return False
    try:
        list(tokenize.generate_tokens(io.StringIO(statement.lstrip(), newline=None).readline))
    except tokenize.TokenError:
        return False
    except (SyntaxError, ValueError):
        return True
    return True


def language_of(notebook: dict[str, Any]) -> str:
    """The language of a notebook's kernel, in lower case; Python where nothing is said."""
    metadata = notebook.get("metadata") or {}
    info, kernel = metadata.get("language_info") or {}, metadata.get("kernelspec") or {}
    named = info.get("name") or kernel.get("language") or "python"
    return (
        "python" if str(named).lower() in ("python", "ipython", "python3", "ipython3") else str(named).lower()
    )


def is_code(cell: dict[str, Any]) -> bool:
    """Whether a cell is one of those that are counted and run."""
    return cell.get("cell_type") == "code"


def is_in_python(cell: dict[str, Any]) -> bool:
    """Whether a code cell is in the kernel's language; VS Code notes it where a cell is not."""
    metadata = cell.get("metadata") or {}
    noted = (metadata.get("vscode") or {}).get("languageId", "python")
    return str(noted).lower() in ("python", "")
