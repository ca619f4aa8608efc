"""Notebook: the code cells of an ``.ipynb`` file, as pieces of one program. Imports nothing of torch.

Cells are counted as they would be numbered when run from top to bottom: code cells only, from 1. A cell's
code object carries the file name ``x.ipynb[3]``, and its lines and columns are those of the cell.
"""

from __future__ import annotations

import ast
import io
import json
import linecache
import os
import re
from types import CodeType
from typing import Any, NamedTuple

from .cells import Escape, is_code, is_in_python, language_of, read_cell, split_lines, without

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
        linecache.cache[name] = (len(text), None, split_lines(text), name)
        codes.append(_compiled(python, name, is_indented=bool(read_cell(text).indent)))
    return codes, skipped


def _compiled(python: str, name: str, *, is_indented: bool) -> CodeType:
    program: Any = python
    if is_indented:
        # In a block it may be, and columns stay what they are.
        block, *rest = ast.increment_lineno(ast.parse(f"if True:\n{python}", name), -1).body
        program = ast.Module([*getattr(block, "body", ()), *rest], [])
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code: CodeType = compile(program, name, "exec", flags=flags, dont_inherit=True)
    return code


def _cells(path: str) -> list[str]:
    with io.open_code(path) as file:
        data = file.read()
    name = os.path.basename(path)
    try:
        held: Any = json.loads(data.decode("utf-8-sig"))
        cells = held["cells"] if "cells" in held else held["worksheets"][0]["cells"]
        texts = [_text(cell) for cell in cells if is_code(cell)]
        language = language_of(held)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise NotebookError(f"{name} is no notebook: {error}") from error
    if language != "python":
        raise NotebookError(f"{name} is no Python: its language is {language}")
    return texts


def _text(cell: Any) -> str:
    if not is_in_python(cell):
        # Counted, and left out.
        return ""
    # "input" is what format 3 calls it.
    source = cell.get("source", cell.get("input", ""))
    return source if isinstance(source, str) else "".join(source)


def without_magics(text: str) -> tuple[str, list[tuple[int, str]]]:
    """A cell's Python, and the lines that are magics or go to the shell; what is left keeps its place.

    Of a magic that runs a statement only the magic is left out.
    """
    lines = split_lines(text)
    reading = read_cell(text)
    skipped = []
    kept = ["\n"] * reading.header + lines[reading.header :]
    if reading.header:
        number, words = next((n, line.strip()) for n, line in enumerate(lines, 1) if line.strip())
        skipped.append((number, words))
    for escape in reading.escapes:
        line = without(reading.indent, lines[escape.first - 1])
        skipped.append((escape.first, escape.prefix.strip() or line.strip()))
        instead = reading.indent + _instead(escape, line)
        kept[escape.first - 1 : escape.last] = [instead, *"\n" * (escape.last - escape.first)]
    return "".join(kept), skipped


def _instead(escape: Escape, line: str) -> str:
    """A line of Python that does without the magic."""
    if escape.prefix:
        # As long as any such magic is, so that columns stay what they are.
        statement = line[len(escape.indent) + len(escape.prefix) :]
        return f"{escape.indent}{'pass;'.ljust(len(escape.prefix))}{statement}"
    if escape.target:
        # The lines that a command prints are a list.
        is_shell = line[len(escape.indent) + len(escape.target) :].lstrip().startswith("!")
        return f"{escape.indent}{escape.target} {'[]' if is_shell else 'None'}\n"
    return f"{escape.indent}pass\n"


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
