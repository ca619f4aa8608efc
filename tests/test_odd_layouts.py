"""Fixes placed in odd layouts: the file stays whole, and nothing is touched that need not be."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from pathlib import Path

import pytest
from text_program import check_texts, fix_texts

from devfix.findings import Applicability

#: Faulty programs by what is odd about them: tabs, form feeds, statements on one line, newlines, …
LAYOUTS: dict[str, str] = json.loads(
    (Path(__file__).parent / "data" / "odd_layouts.json").read_text(encoding="utf-8")
)


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_fix_fits_in(layout: str) -> None:
    before = LAYOUTS[layout]
    assert check_texts({"main.py": before}), "the program has a fault"
    fixed, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    after = fixed["main.py"]
    ast.parse(after)
    assert check_texts({"main.py": after}) == []
    assert comments(after) == comments(before)
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    assert len(set(old) - set(new)) <= 2, "a fix takes a line or two"
