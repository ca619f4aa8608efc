"""Notebook: the code cells of an ``.ipynb`` file, as pieces of one program. Imports nothing of torch.

Cells are counted as they would be numbered when run from top to bottom: code cells only, from 1. A cell's
code object carries the file name ``x.ipynb[3]``, and its lines are those of the cell.
"""

from __future__ import annotations

import ast
import io
import json
import linecache
import os
import re
import tokenize
from types import CodeType
from typing import Any, NamedTuple

#: Cell magics whose cell is Python all the same (IPython's documentation of built-in magics).
_PYTHON_MAGICS = ("time", "timeit", "capture", "prun", "memit", "mprun", "python", "python3")
_MAGIC = re.compile(r"\s*([%!?]|[\w.]+\?{1,2}\s*$)")
_ASSIGNED_MAGIC = re.compile(r"\s*[\w., ]+=\s*[%!]")
_CELL_OF_NAME = re.compile(r"(?P<file>.*\.ipynb)\[(?P<cell>\d+)\]", re.DOTALL)


class NotebookError(Exception):
    """The file is no notebook."""


class Skipped(NamedTuple):
    """A line that is no Python and was left out."""

    cell: int
    line: int
    text: str


def cell_name(path: str, number: int) -> str:
    """The file name that the code of a cell carries."""
    return f"{path}[{number}]"


def cell_of(name: str) -> tuple[str, int | None]:
    """The file and the cell that the file name of a code object stands for."""
    found = _CELL_OF_NAME.fullmatch(name)
    return (name, None) if found is None else (found["file"], int(found["cell"]))


def compile_cells(path: str) -> tuple[list[CodeType], list[Skipped]]:
    """The code of every cell; raises SyntaxError as Python does, with the cell as the file.

    A cell that waits for something (``await`` at its top) becomes a coroutine's code.
    """
    codes, skipped = [], []
    for number, text in enumerate(_cells(path), start=1):
        name = cell_name(path, number)
        python, left_out = without_magics(text)
        skipped += [Skipped(number, line, words) for line, words in left_out]
        # Tracebacks and places find the lines here.
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        codes.append(compile(python, name, "exec", flags=flags, dont_inherit=True))
    return codes, skipped


def _cells(path: str) -> list[str]:
    with io.open_code(path) as file:
        data = file.read()
    try:
        held: Any = json.loads(data.decode("utf-8-sig"))
        cells = held["cells"] if "cells" in held else held["worksheets"][0]["cells"]
        return [_text(cell) for cell in cells if cell.get("cell_type") == "code"]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NotebookError(f"{os.path.basename(path)} is no notebook: {error}") from error


def _text(cell: Any) -> str:
    # "input" is what format 3 calls it.
    source = cell.get("source", cell.get("input", ""))
    return source if isinstance(source, str) else "".join(source)


def without_magics(text: str) -> tuple[str, list[tuple[int, str]]]:
    """A cell's Python, and the lines that are magics or go to the shell; lines keep their numbers."""
    lines = text.splitlines(keepends=True)
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("%%"):
        words = lines[first][2:].split()
        skipped = [(first + 1, lines[first].strip())]
        if not words or words[0] not in _PYTHON_MAGICS:
            return "\n" * len(lines), skipped
        python, more = without_magics("\n" * (first + 1) + "".join(lines[first + 1 :]))
        return python, skipped + more
    if _parses(text):
        # A line of a long expression may begin with a percent sign.
        return text, []
    return _without_line_magics(lines)


def _parses(text: str) -> bool:
    try:
        compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _without_line_magics(lines: list[str]) -> tuple[str, list[tuple[int, str]]]:
    kept: list[str] = []
    skipped = []
    statement = ""
    for number, line in enumerate(lines, start=1):
        if not statement and (_MAGIC.match(line) or _ASSIGNED_MAGIC.match(line)):
            skipped.append((number, line.strip()))
            indent = line[: len(line) - len(line.lstrip())]
            kept.append(f"{indent}pass\n")
            continue
        kept.append(line)
        statement += line
        if _is_whole(statement):
            statement = ""
    return "".join(kept), skipped


def _is_whole(statement: str) -> bool:
    """Whether no bracket, string or continued line is open at the end of some lines."""
    if statement.rstrip("\r\n").endswith("\\"):
        return False
    try:
        list(tokenize.generate_tokens(io.StringIO(statement.lstrip()).readline))
    except tokenize.TokenError:
        return False
    except (SyntaxError, ValueError):
        return True
    return True


class Shell:
    """What ``get_ipython()`` gives: it takes every order and carries out none."""

    kernel = None

    def __getattr__(self, name: str) -> Any:
        """A method that does nothing, whatever its name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return _do_nothing


def _do_nothing(*_args: Any, **_kwargs: Any) -> None:
    pass


def display(*values: Any, **_options: Any) -> None:
    """Show values as text, as a notebook without a browser would."""
    for value in values:
        print(value)  # noqa: T201 - it stands for a function that shows things


def names() -> dict[str, Any]:
    """The names that a notebook finds beside Python's own."""
    return {"display": display, "get_ipython": Shell}
