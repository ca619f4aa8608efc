"""Files and functions are as short as the house rules ask."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_LINES = {"devfix": 400, "codemods": 250}
MOST_OF_FUNCTION = 80


@pytest.mark.parametrize("folder", MOST_LINES)
def test_no_file_is_too_long(folder: str) -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in (ROOT / folder).rglob("*.py")}
    assert lengths
    assert [os.fspath(path) for path, lines in lengths.items() if lines > MOST_LINES[folder]] == []


@pytest.mark.parametrize("folder", MOST_LINES)
def test_no_function_is_too_long(folder: str) -> None:
    functions = [
        (path, node)
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    lengths = {f"{path}: {node.name}": (node.end_lineno or 0) - node.lineno + 1 for path, node in functions}
    assert lengths
    assert [name for name, lines in lengths.items() if lines > MOST_OF_FUNCTION] == []
