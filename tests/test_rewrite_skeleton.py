"""What no edit touches is left out before LibCST reads a text; what is written is the same."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import sweeps
from edit_makers import place
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from program_texts import expression_edits, module_edits, programs, statement_edits

from devfix.findings import Edit, InsertAfter, InsertBefore, Span, WrapExpression
from devfix.rewrite import EditError, application, apply_edits
from devfix.rewrite.lines import Lines
from devfix.rewrite.skeleton import skeleton
from devfix.rewrite.tree import Tree

FILES = sorted(
    path for path in Path(sysconfig.get_path("stdlib")).glob("*.py") if 2_000 < path.stat().st_size < 12_000
)

# Derandomised, so that a run fails for what was changed and for nothing else.
steady = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

MODEL = '''\
import torch

class Model:
    """A model."""

    size = 3

    @staticmethod
    def make(a):
        if a:
            x = one()
        elif a > 2:
            # why
            x = 2
        else:
            x = """
  three"""  # so
        return x
            # deeper

    def forward(self, x):
        for each in x:
            y = each
            z = y
        return "é", [
            z]  # last

def main(): return Model()
'''


def reduced(text: str, *touched: Span) -> str:
    return skeleton(ast.parse(text), Lines(text), touched)


def read_wholly(text: str, _touched: frozenset[Span]) -> Tree:
    return Tree(text)


@contextmanager
def nothing_left_out() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "_tree", read_wholly)
        yield


def outcome(text: str, edits: Sequence[Edit]) -> tuple[str, str]:
    try:
        return "text", apply_edits(text, edits)
    except EditError as error:
        return "error", str(error)


def check(text: str, edits: Sequence[Edit]) -> None:
    found = outcome(text, edits)
    with nothing_left_out():
        assert found == outcome(text, edits)


def test_definitions_are_empty_where_no_edit_is() -> None:
    made = reduced(MODEL)
    assert made.count("\n") == MODEL.count("\n")
    assert "forward" not in made
    assert "import torch" in made


def test_the_statements_around_an_edit_are_there() -> None:
    made = reduced(MODEL, place(MODEL, "x = 2"))
    assert "elif a > 2:" in made
    assert "if a:" in made
    assert "one" not in made
    assert "three" not in made
    assert "size" not in made
    assert "forward" not in made


def test_what_is_left_stands_where_it_stood() -> None:
    spans = [place(MODEL, "x = 2"), place(MODEL, "z = y")]
    lines, made = MODEL.splitlines(), reduced(MODEL, *spans).splitlines()
    for line in ("class Model:", "            x = 2", "            z = y", "    def forward(self, x):"):
        assert made.index(line) == lines.index(line)


def test_a_statement_behind_a_backslash_or_a_header_stays() -> None:
    text = "def f(): \\\n  return 1\ndef g(): return 2\n"
    assert reduced(text) == text


def test_what_is_too_short_stays() -> None:
    text = "def f():\n    x\n\ndef g():\n    return\n"
    assert reduced(text) == text.replace("return", "''''''")


def test_ends_are_columns_of_characters() -> None:
    text = "def f():\n    a = 'éé'; b = '😀'  # c\n"
    end = text.index("  # c")
    assert reduced(text)[: end + 5] == text[:13] + "'''" + " " * (end - 19) + "'''  # c"


def test_a_text_that_libcst_takes_only_whole_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devfix.rewrite.tree.skeleton", lambda *_: "no python (")
    text = "def f():\n    return 1\n"
    assert apply_edits(text, [WrapExpression(place(text, "1"), "g(", ")")]) == text.replace("1", "g(1)")


@pytest.mark.parametrize("part", ["x = 2", "z = y", "return x", "size = 3", "return Model()"])
@pytest.mark.parametrize("kind", [InsertBefore, InsertAfter])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_insertions(part: str, kind: type[InsertBefore | InsertAfter], newline: str) -> None:
    text = MODEL.replace("\n", newline)
    check(text, [kind(place(text, part), "if new:\n    x = '''a\n b'''")])


@settings(steady, max_examples=sweeps.number(20, all_of=60))
@given(st.data(), programs(), st.sampled_from(["def f():", "class A:", "if a:\n    pass\nelif b:"]))
def test_programs_in_definitions(data: st.DataObject, text: str, header: str) -> None:
    newline = "\r\n" if "\r\n" in text else "\n"
    body = "".join(f"    {line}" for line in text.splitlines(keepends=True))
    whole = f"{header}{newline}{body.rstrip()}{newline}{text}"
    try:
        ast.parse(whole)
    except SyntaxError:
        whole = text
    one = st.one_of(expression_edits(whole), statement_edits(whole), module_edits())
    check(whole, data.draw(st.lists(one, min_size=1, max_size=3)))


@pytest.mark.parametrize("path", sweeps.some(FILES[::12], every=3), ids=lambda path: path.name)
def test_real_files(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")

    @settings(steady, max_examples=5)
    @given(st.lists(st.one_of(expression_edits(text), statement_edits(text)), min_size=1, max_size=3))
    def some_edits(edits: list[Edit]) -> None:
        check(text, edits)

    some_edits()
