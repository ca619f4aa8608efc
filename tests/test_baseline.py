"""What findings are known by: neither lines that move nor another layout make them new."""

from __future__ import annotations

import ast
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devfix.baseline.file import read_baseline, write_baseline
from devfix.baseline.known import Known
from devfix.baseline.trace import Trace, traces
from devfix.config import ConfigError
from devfix.findings import Finding, Span
from devfix.source import Source


def findings_in(text: str, path: str = "a.py") -> tuple[Source, list[Finding]]:
    """Each name ``bad`` is one."""
    source = Source(path, text)
    nodes = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id == "bad"]
    spans = sorted(source.span(node) for node in nodes)
    return source, [Finding(path, span, "DF101", "rule", "message") for span in spans]


def known(text: str, path: str = "a.py") -> Known:
    source, findings = findings_in(text, path)
    return Known(tuple(sorted(Counter(traces(source, findings, ".")).items())), ".", "baseline")


def new_lines(before: str, after: str) -> list[int]:
    source, findings = findings_in(after)
    return [finding.span.line for finding in known(before).split(source, findings, Counter()).new]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").touch()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("bad\n", "x = 1\n\n\nbad\n"),
        ("f(bad, y)\n", "f(\n    bad,  # why\n    y,\n)\n"),
        ("f( bad,y )\n", "f(bad, y)\r\n"),
        ("f('a', bad)\n", "f(\n    'a',\n    bad,\n)\n"),
        ("def f():\n    g(bad)\n", "class A:\n    def h(self):\n        g(bad)\n"),
        ("g(f'{x} {bad}')\n", "if x:\n    g(f'{x} {bad}')  # é\n"),
        ("for x in bad:\n    y\n", "for x in bad:\n    z\n"),
        ("x = bad + \\\n    y\n", "x = bad + y\n"),
        ("x = bad + f('a')\n", 'x = (\n    bad\n    + f("a")\n)\n'),
        (f"f(bad, '{'x' * 500}')\n", f'f(\n    bad,\n    "{"x" * 500}",\n)\n'),
    ],
)
def test_a_finding_is_known_again(before: str, after: str) -> None:
    assert new_lines(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("f(bad)\n", "f(bad)\nf(bad)\n", [2]),
        ("f(bad)\n", "g(bad)\n", [1]),
        ("f(bad)\n", "f(bad)\n\ndef g():\n    f(bad)\n", [4]),
        ("def g():\n    f(bad)\n", "f(bad)\n\ndef g():\n    f(bad)\n", [1]),
        ("f(bad, bad)\n", "f(bad, bad, bad)\n", [1, 1, 1]),
        ("x\n", "f(bad)\n", [1]),
        ("f(f'{a}', bad)\n", "f(f'{b}', bad)\n", [1]),
    ],
)
def test_a_finding_that_was_not_there_is_new(before: str, after: str, lines: list[int]) -> None:
    assert new_lines(before, after) == lines


def test_another_rule_finds_something_else() -> None:
    source, (finding,) = findings_in("bad\n")
    other = Finding("a.py", finding.span, "DF102", "rule", "message")
    assert known("bad\n").split(source, [other], Counter()).new == (other,)


def test_what_is_gone_is_stale() -> None:
    source, findings = findings_in("f(bad)\n")
    split = known("f(bad)\nf(bad)\ng(bad)\n").split(source, findings, Counter())
    assert [(trace.text, count) for trace, count in split.stale] == [("f(bad)", 1), ("g(bad)", 1)]


def test_a_file_with_another_name_is_known_where_the_old_one_is_gone() -> None:
    Path("b.py").touch()
    source, findings = findings_in("def g():\n    f(bad)\n", "b.py")
    there = known("f(bad)\n")
    assert there.split(source, findings, there.lost()).new == tuple(findings)
    gone = known("def f():\n    f(bad)\n", "old.py")
    lost = gone.lost()
    assert gone.split(source, findings, lost).new == ()
    assert gone.split(source, findings, lost).new == tuple(findings)


def test_traces_are_the_same_whatever_python_reads_them() -> None:
    source, findings = findings_in("x = g(f'{a!r:>{w}} é', bad,)[ 0 ] .y if - 1 else [bad , 1]\n")
    assert traces(source, findings, ".")[0].text == "x = g(f'{a!r:>{w}} é', bad) [0].y if - 1 else [bad, 1]"


def test_a_long_statement_is_known_by_its_beginning_and_a_hash() -> None:
    source, findings = findings_in(f"f(bad, '{'x' * 500}')\n")
    (trace,) = traces(source, findings, ".")
    assert len(trace.text) == 217
    assert new_lines(f"f(bad, '{'x' * 500}')\n", f"f(bad, '{'x' * 500}y')\n") == [1]


STATEMENTS = st.sampled_from(
    [
        "f(bad)\n",
        "f(bad, 'é')\n",
        "def g():\n    f(bad)\n",
        "class A:\n    x = bad\n",
        "x = f'{bad}'\n",
        "y\n",
    ]
)
BETWEEN = st.sampled_from(["\n", "# a comment\n", "z = 1\n", "if z:\n    pass\n"])


@given(st.lists(STATEMENTS, max_size=6), st.data())
def test_what_stands_between_makes_nothing_new(statements: list[str], data: st.DataObject) -> None:
    after = "".join(data.draw(BETWEEN) * data.draw(st.integers(0, 2)) + each for each in statements)
    assert new_lines("".join(statements), after) == []


@given(st.lists(STATEMENTS, max_size=6), STATEMENTS)
def test_one_statement_more_makes_as_many_new(statements: list[str], more: str) -> None:
    before = "".join(statements)
    assert len(new_lines(before, before + more)) == more.count("bad")


def test_a_baseline_is_written_in_order(tmp_path: Path) -> None:
    counts = [(Trace("b.py", "DF1", "", "é"), 2), (Trace("a.py", "DF2", "f", "x"), 1)]
    write_baseline("sub/b.json", counts)
    text = Path("sub/b.json").read_text(encoding="utf-8")
    assert [entry["path"] for entry in json.loads(text)["findings"]] == ["a.py", "b.py"]
    assert text.endswith("}\n")
    assert "é" in text
    found = read_baseline("sub/b.json")
    assert dict(found.counts) == dict(counts)
    assert found.root == str(tmp_path / "sub")
    write_baseline("sub/b.json", reversed(counts))
    assert Path("sub/b.json").read_text(encoding="utf-8") == text
    assert os.listdir("sub") == ["b.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read"),
        ("[]", "is no baseline"),
        ('{"version": 2, "findings": []}', "is no baseline"),
        ('{"version": 1}', "entry 1 is no finding"),
        ('{"version": 1, "findings": [{"path": "a"}]}', "entry 1 is no finding"),
        (
            '{"version": 1, "findings": [{"path": "a", "rule": "b", "scope": "", "text": "", "count": 0}]}',
            "entry 1 is no finding",
        ),
    ],
)
def test_what_is_no_baseline_is_an_error(text: str, message: str) -> None:
    Path("b.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_baseline("b.json")


def test_a_baseline_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"the baseline no.json does not exist; .*--write-baseline"):
        read_baseline("no.json")


def test_spans_need_not_begin_a_line() -> None:
    source = Source("a.py", "if x: f(bad)\n")
    (trace,) = traces(source, [Finding("a.py", Span(1, 8, 1, 11), "DF1", "r", "m")], ".")
    assert trace == Trace("a.py", "DF1", "", "if x: f(bad)")
