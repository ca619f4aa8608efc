"""What is read is written back to the byte, and positions are code points."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devfix.file_report import Skipped
from devfix.findings import Span
from devfix.source import MAX_BYTES, Source, decode_source, read_source


def read(data: bytes) -> Source:
    source = decode_source("file.py", data)
    assert isinstance(source, Source), source
    return source


def refuse(data: bytes) -> str:
    skipped = decode_source("file.py", data)
    assert isinstance(skipped, Skipped)
    assert skipped.fault
    return skipped.reason


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x = 1",
        b"x = 1\ny = 2\n",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ry = 2\r",
        b"x = 1\r\ny = 2\nz = 3\r",
        b"\xef\xbb\xbfx = 1\n",
        b"# coding: latin-1\ns = '\xe9\xe8'\n",
        b"#!/usr/bin/env python\n# -*- coding: cp1252 -*-\ns = '\x80'\n",
        b"\xef\xbb\xbf# coding: utf-8\ns = '\xc3\xa9'\n",
        "x = 'a\u2028b\x0cc'\n".encode(),
        b"if x:\n\ty = 1\n",
        b"x = '\\d'\n",
    ],
)
def test_bytes_survive_the_round_trip(data: bytes) -> None:
    assert read(data).encode() == data


@given(st.text(alphabet="ab é\t\n\r#'\u2028\x0c😀"))
def test_any_comment_survives_the_round_trip(text: str) -> None:
    data = ("# " + text.replace("\n", "\n# ").replace("\r", "\r# ")).encode()
    source = decode_source("file.py", data)
    assert isinstance(source, Skipped) or source.encode() == data
    if isinstance(source, Source):
        assert "".join(source.lines) == source.text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = (\n", "has a syntax error in line 1: '(' was never closed"),
        (b"ok = 1\ndef f(:\n", "has a syntax error in line 2: invalid syntax"),
        (b"x\0y", "is not Python text: it contains NUL bytes"),
        (b"s = '\xe9'\n", "cannot be decoded: invalid or missing encoding declaration"),
        (b"# coding: klingon\n", "cannot be decoded: unknown encoding: klingon"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "cannot be decoded: encoding problem: utf-8"),
        (b"#" * (MAX_BYTES + 1), "is larger than 8 MiB; exclude it if that is right"),
        (b"x = " + b"(" * 100_000 + b")" * 100_000, "too many nested parentheses"),
        (b"x = " + b"-" * 100_000 + b"1", "is nested too deeply to be parsed"),
    ],
)
def test_what_is_no_python_is_skipped_with_a_reason(data: bytes, reason: str) -> None:
    assert reason in refuse(data)


def test_the_line_of_a_syntax_error_is_told_once() -> None:
    assert refuse(b'x = """\n').endswith(
        "has a syntax error in line 1: unterminated triple-quoted string literal"
    )
    assert refuse(b'x = """\n\n').endswith("(detected at line 2)")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ok = 1\ndef f(:\n", (2, 6, "def f(:")),
        ("é = 'ü' ñ x\r\n", (1, 8, "é = 'ü' ñ x")),
        ("if 1:\n\tx = '漢' 字\n", (2, 9, "\tx = '漢' 字")),
        ("if x:", (1, 5, "if x:")),
        ("x = " + "9" * 9_000, (1, None, "x = " + "9" * 9_000)),
        ("x = '" + "a" * 20_000, (1, 4, None)),
    ],
)
@pytest.mark.parametrize("there", [None, "print('éé')\n" * 3])
def test_a_syntax_error_has_its_place_whatever_is_in_the_file(
    text: str, place: tuple[int, int | None, str | None], there: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "file.py"
    path.write_bytes((text if there is None else there).encode())
    skipped = decode_source(str(path), text.encode())
    assert isinstance(skipped, Skipped)
    assert (skipped.line, skipped.column, skipped.text) == place


def test_a_syntax_error_behind_a_string_of_lines_has_its_column(tmp_path: Path) -> None:
    path = tmp_path / "file.py"
    path.write_text('x = """\n{b c}""" d\n')
    skipped = read_source(path)
    assert isinstance(skipped, Skipped)
    assert (skipped.line, skipped.column, skipped.text) == (2, 9, '{b c}""" d')


def test_a_syntax_error_in_an_f_string_is_not_shown_elsewhere() -> None:
    """Before Python 3.12 the column is that in the braces."""
    skipped = decode_source("file.py", b'x = f"{a b}"\n')
    assert isinstance(skipped, Skipped)
    assert skipped.line == 1
    assert skipped.column in (None, 7)


def test_a_file_that_its_encoding_warns_of_is_read_without_a_word() -> None:
    """In tests a warning is an error."""
    assert refuse(b"# coding: unicode_escape\nx = 1\\\x01n\n")


def test_missing_and_unreadable_files_are_skipped(tmp_path: Path) -> None:
    missing = read_source(tmp_path / "missing.py")
    folder = read_source(tmp_path)
    assert isinstance(missing, Skipped)
    assert missing.reason == "cannot be read: No such file or directory"
    assert isinstance(folder, Skipped)
    assert folder.reason == "cannot be read: Is a directory"


def test_spans_count_code_points() -> None:
    source = Source("f.py", "é = 'ü'; call(ñ, '😀', x)\n")
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    assert source.span(call) == Span(1, 9, 1, 24)
    assert [source.segment(source.span(argument)) for argument in call.args] == ["ñ", "'😀'", "x"]


@given(st.lists(st.sampled_from(["é", "x", "'😀'", "f(a,\n  ü)", "[1,\r\n 2]"]), min_size=1))
def test_a_segment_is_what_ast_would_cut_out(parts: list[str]) -> None:
    text = "y = [" + ", ".join(parts) + "]\n"
    source = Source("f.py", text)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.expr):
            cut = ast.parse("(" + source.segment(source.span(node)) + ")", mode="eval").body
            assert ast.dump(cut) == ast.dump(node).replace("ctx=Store()", "ctx=Load()")


@pytest.mark.parametrize(("text", "newline"), [("", "\n"), ("x", "\n"), ("x\r\ny\n", "\r\n"), ("x\ry", "\r")])
def test_the_newline_is_that_of_the_first_line(text: str, newline: str) -> None:
    assert Source("f.py", text).newline == newline


def test_a_source_crosses_a_process_border_without_its_tree() -> None:
    source = read("s = 'é'\n".encode())
    copy = pickle.loads(pickle.dumps(source))
    assert (copy.path, copy.text, copy.encoding, copy.bom) == ("file.py", "s = 'é'\n", "utf-8", False)
    assert "tree" not in copy.__dict__
    assert copy.span(copy.tree.body[0]) == Span(1, 0, 1, 7)


def test_what_is_forgotten_is_made_again() -> None:
    source = Source("a.py", "é = 1  # devfix: ignore[DF101]\nx = 2\n")
    size = len(source.__dict__)
    before = (ast.dump(source.tree), source.lines, source.suppressions, source.span(source.tree.body[0]))
    assert len(source.__dict__) > size
    source.forget()
    assert len(source.__dict__) == size
    assert (
        ast.dump(source.tree),
        source.lines,
        source.suppressions,
        source.span(source.tree.body[0]),
    ) == before


def test_words_are_found_between_lines() -> None:
    source = Source("a.py", "def f():\n    return 1\n\n\ndef g():\n    return lambda: 2\n")
    assert source.has_between("lambda", 5, 6)
    assert source.has_between("lambda", 6, 6)
    assert not source.has_between("lambda", 1, 5)
    assert source.has_between("def", 2, 5)
    assert not source.has_between("def", 2, 4)
    assert not source.has_between("class", 1, 6)


def test_one_of_some_words_is_found_between_lines() -> None:
    source = Source("a.py", "x = 1\r\ny = 'cuda', 'cuda'\nz = 2\rif x:\n    z = 'mps'")
    words = ("mps", "cuda")
    lines = [line for line in range(1, 6) if source.has_one_between(words, line, line)]
    assert lines == [number for number, line in enumerate(source.lines, 1) if any(w in line for w in words)]
    assert lines == [2, 5]
    assert source.has_one_between(words, 3, 5)
    assert not source.has_one_between(words, 3, 4)
    assert not source.has_one_between(words, 6, 9)
    assert not Source("a.py", "").has_one_between(words, 1, 1)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("f(\n    1,  # one\n    2,\n)", "f( 1, 2, )"),
        ("f(\n    '# 1',\n    # none\n)", "f( '# 1', )"),
        ("f('# 1')", "f('# 1')"),
        ("f(\n    # none\n" + "    one,  # 1\n" * 20 + ")", "f( " + "one, " * 11 + "o…"),
    ],
)
def test_a_piece_of_code_is_shown_without_its_comments(code: str, shown: str) -> None:
    source = read(code.encode())
    last = code.splitlines()
    assert source.line_at(Span(1, 0, len(last), len(last[-1]))) == shown


def test_a_source_with_the_text_that_it_has_is_itself_and_keeps_its_tree() -> None:
    source = Source("file.py", "x = 1\n", bom=True)
    other = source.with_text("x = 2\n")
    assert source.with_text("x = 1\n") is source
    assert (other.text, other.bom, ast.unparse(other.tree)) == ("x = 2\n", True, "x = 2")


def test_the_comments_of_a_statement_are_those_of_its_lines() -> None:
    text = "if a:\n    for x in y:  # one\n        # two\n        x = '# no'  # three\n    # four\n"
    source = Source("file.py", text)
    [test] = source.tree.body
    assert isinstance(test, ast.If)
    assert source.comments(source.span(test.body[0])) == ["# one", "# two", "# three"]
