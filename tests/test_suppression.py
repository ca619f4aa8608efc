"""Which comments suppress what, and where."""

from __future__ import annotations

import pytest

from devfix.findings import Span
from devfix.suppression import Suppression, find_suppressions


def only(text: str) -> Suppression:
    (found,) = find_suppressions(text)
    return found


@pytest.mark.parametrize(
    ("comment", "rules", "whole_file"),
    [
        ("# devfix: ignore", (), False),
        ("#devfix:ignore", (), False),
        ("# devfix: ignore[DF101]", ("DF101",), False),
        ("# devfix: ignore[DF101, created-on-cpu] it stays here", ("DF101", "created-on-cpu"), False),
        ("# devfix: ignore-file", (), True),
        ("# devfix: ignore-file[DF1]", ("DF1",), True),
    ],
)
def test_a_comment_is_understood(comment: str, rules: tuple[str, ...], whole_file: bool) -> None:
    found = only(f"x = 1  {comment}\n")
    assert (found.rules, found.whole_file, found.malformed) == (rules, whole_file, False)
    assert found.span == Span(1, 7, 1, 7 + len(comment))


@pytest.mark.parametrize(
    "comment",
    ["# devfix: ingore", "# devfix: ignore[]", "# devfix: ignore[DF1", "# devfix: ignored", "# devfix:"],
)
def test_a_malformed_comment_is_kept_to_be_reported(comment: str) -> None:
    assert only(f"x = 1  {comment}\n").malformed


def test_only_comments_count() -> None:
    assert find_suppressions("x = '# devfix: ignore'\n") == ()


def test_a_comment_shares_its_line_with_others() -> None:
    found = only("x = 1  # type: ignore  # devfix: ignore[DF1]  # noqa\n")
    assert found.text == "# devfix: ignore[DF1]"
    assert found.span == Span(1, 23, 1, 44)


MULTILINE = """\
before = 1
y = model(
    x,  # devfix: ignore
    z,
)
"""


@pytest.mark.parametrize(
    ("span", "covered"),
    [
        (Span(3, 4, 3, 5), True),
        (Span(2, 4, 5, 1), True),
        (Span(4, 4, 4, 5), False),
        (Span(1, 0, 1, 6), False),
    ],
)
def test_a_comment_speaks_for_its_own_line(span: Span, covered: bool) -> None:
    assert only(MULTILINE).covers(span) is covered


def test_a_comment_that_closes_a_statement_speaks_for_all_of_it() -> None:
    found = only("y = model(\n    x,\n    z,\n)  # devfix: ignore\nw = 1\n")
    assert found.covers(Span(2, 4, 2, 5))
    assert not found.covers(Span(5, 0, 5, 1))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_newlines_make_no_difference(newline: str) -> None:
    text = newline.join(["x = 1", "y = 2  # devfix: ignore", ""])
    assert only(text).span == Span(2, 7, 2, 23)
