"""The one statement by which a function gives something back."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from devfix.analysis.text.scope_names import only_return


def _found(body: str) -> ast.Return | None:
    (function,) = ast.parse(f"def make(x):\n{indent(body, '    ')}").body
    assert isinstance(function, ast.FunctionDef)
    return only_return(function)


@pytest.mark.parametrize(
    "body",
    [
        "return x",
        "with open(x) as file:\n    return file",
        "def inner():\n    return 2\nreturn x",
        "pairs = sorted(x, key=lambda each: (yield))\nreturn pairs",
        "return",
    ],
)
def test_there_is_one(body: str) -> None:
    found = _found(body)
    assert found is not None
    assert ast.unparse(found) in ast.unparse(ast.parse(f"def make(x):\n{indent(body, '    ')}"))
    assert "2" not in ast.unparse(found)


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "if x:\n    return 1\nreturn x",
        "yield x",
        "yield x\nreturn x",
        "found = yield from x\nreturn found",
        "def inner():\n    return x",
    ],
)
def test_there_is_none(body: str) -> None:
    assert _found(body) is None
