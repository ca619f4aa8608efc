"""Comments that suppress: where they are put, and that nothing else changes."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devfix.findings import Finding, Span
from devfix.silencing import Silenced, silenced
from devfix.suppression import find_suppressions


def finding(text: str, words: str, code: str = "DF102") -> Finding:
    """A finding at the first place where the words stand."""
    start = text.index(words)
    end = start + len(words)
    span = Span(*_place(text, start), *_place(text, end))
    return Finding("a.py", span, code, "rule", "message")


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset].replace("\r\n", "\n\n")
    line = before.count("\n") + 1 - text[:offset].count("\r\n")
    return line, offset - max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) - 1


def after(text: str, *words: str, reason: str = "") -> str:
    found = silenced(text, [finding(text, each) for each in words], reason)
    assert found.left == ()
    return found.text


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("f(x)\n", "x", "f(x)  # devfix: ignore[DF102]\n"),
        ("f(x)", "x", "f(x)  # devfix: ignore[DF102]"),
        ("f(x)  \r\ny\r\n", "x", "f(x)  # devfix: ignore[DF102]  \r\ny\r\n"),
        ("f(x)  # noqa\n", "x", "f(x)  # noqa  # devfix: ignore[DF102]\n"),
        ("f(x)  # devfix: ignore[DF2] as told\n", "x", "f(x)  # devfix: ignore[DF2, DF102] as told\n"),
        ("f(\n    x,\n    y,\n)\n", "x", "f(\n    x,  # devfix: ignore[DF102]\n    y,\n)\n"),
        ("f(\n    x,\n)\n", "f(\n    x,\n)", "f(  # devfix: ignore[DF102]\n    x,\n)\n"),
        ("a = x + \\\n    y\n", "x", "a = x + \\\n    y  # devfix: ignore[DF102]\n"),
        ('f(x, """\na\n""")\n', "x", 'f(x, """\na\n""")  # devfix: ignore[DF102]\n'),
        ('f("""\na\n""", x)\n', "x", 'f("""\na\n""", x)  # devfix: ignore[DF102]\n'),
        ("if x: y\nz\n", "y", "if x: y  # devfix: ignore[DF102]\nz\n"),
        ("for a in x:\n    y\n", "x", "for a in x:  # devfix: ignore[DF102]\n    y\n"),
        ("s = '#'; f(x)\n", "x", "s = '#'; f(x)  # devfix: ignore[DF102]\n"),
        (
            "f(x)  # devfix: ignore-file[DF2]\n",
            "x",
            "f(x)  # devfix: ignore-file[DF2]  # devfix: ignore[DF102]\n",
        ),
    ],
)
def test_a_comment_goes_where_it_works(text: str, words: str, expected: str) -> None:
    assert after(text, words) == expected


def test_one_comment_holds_all_codes_of_its_line() -> None:
    text = "f(x, y)\ng(z)\n"
    found = silenced(
        text, [finding(text, "x"), finding(text, "y", "DF501"), finding(text, "z"), finding(text, "x")]
    )
    expected = "f(x, y)  # devfix: ignore[DF102, DF501]\ng(z)  # devfix: ignore[DF102]\n"
    assert found == Silenced(expected, 2, ())


def test_a_reason_is_written_behind_new_comments_alone() -> None:
    text = "f(x)\ng(y)  # devfix: ignore[DF2] known\n"
    expected = "f(x)  # devfix: ignore[DF102] see #12\ng(y)  # devfix: ignore[DF2, DF102] known\n"
    assert after(text, "x", "y", reason="see #12") == expected


def test_where_no_comment_can_stand_nothing_is_written() -> None:
    text = "f(x)\n"
    nowhere = Finding("a.py", Span(9, 0, 9, 1), "DF102", "rule", "message")
    assert silenced(text, [nowhere]) == Silenced(text, 0, (nowhere,))
    assert silenced("def (", [nowhere]).left == (nowhere,)


PIECES = st.sampled_from(
    [
        "f(x)\n",
        "f(x)  # noqa\n",
        "if a:\n    f(x)\n",
        "f(\n    x,\n    y,\n)\n",
        's = """\nx\n""" + x\n',
        "a = x + \\\n    y\n",
        "f(x)  # devfix: ignore[DF2]\r\n",
        "x = 'é # 🚀'; f(x)\r\n",
        "\n",
        "class A:\n    def f(self):\n        return x  # é\n",
    ]
)


@given(st.lists(PIECES, max_size=8), st.sampled_from(["", "later"]))
def test_only_comments_change_and_all_findings_are_silenced(pieces: list[str], reason: str) -> None:
    text = "".join(pieces)
    names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id == "x"]
    lines = text.replace("\r\n", "\n").split("\n")
    findings = []
    for node in names:
        column = len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
        span = Span(node.lineno, column, node.lineno, column + 1)
        findings.append(Finding("a.py", span, "DF102", "rule", "message"))
    found = silenced(text, findings, reason)
    assert found.left == ()
    assert ast.dump(ast.parse(found.text)) == ast.dump(ast.parse(text))
    comments = find_suppressions(found.text)
    assert all(any(c.covers(f.span) and "DF102" in c.rules for c in comments) for f in findings)
    assert silenced(found.text, findings, reason).text == found.text
