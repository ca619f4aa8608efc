"""Comments are replaced without touching the code around them."""

from __future__ import annotations

import pytest

from devfix.comments import replace_comments
from devfix.findings import ReplaceComment
from devfix.suppression import find_suppressions


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  # devfix: ignore\n", "x = 1\n"),
        ("x = 1  # devfix: ignore", "x = 1"),
        ("x = 1  # devfix: ignore\r\ny = 2\r\n", "x = 1\r\ny = 2\r\n"),
        ("# devfix: ignore-file\nx = 1\n", "x = 1\n"),
        ("if x:\n    # devfix: ignore\n    pass\n", "if x:\n    pass\n"),
        ("x = 1  # type: ignore  # devfix: ignore\n", "x = 1  # type: ignore\n"),
        ("x = 1  # devfix: ignore  # noqa\n", "x = 1  # noqa\n"),
        ("# devfix: ignore  # noqa\nx = 1\n", "# noqa\nx = 1\n"),
        ("x = 1  # devfix: ignore # devfix: ignore[a]\n", "x = 1\n"),
    ],
)
def test_removing(before: str, after: str) -> None:
    edits = [ReplaceComment(found.span) for found in find_suppressions(before)]
    assert replace_comments(before, edits) == after


def test_rewording() -> None:
    text = "x = 1  # devfix: ignore[a, b] why\n"
    (found,) = find_suppressions(text)
    edit = ReplaceComment(found.span, "# devfix: ignore[a]")
    assert replace_comments(text, [edit, edit]) == "x = 1  # devfix: ignore[a]\n"
