"""What people and programs read, to the letter."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from fakes import DISPLAY, SAFE, UNSAFE

from devfix.file_report import Crash, FileReport, Skipped
from devfix.findings import Applicability, FileEdit, Finding, Fix, Note, ReplaceExpression, SetKeyword, Span
from devfix.report.concise import render_concise
from devfix.report.excerpt import excerpt
from devfix.report.faults import render_faults
from devfix.report.json import render_json
from devfix.report.paint import Paint
from devfix.report.results import Results
from devfix.report.text import render_text
from devfix.report.view import View
from devfix.source import Source

PLAIN, COLOURED = View(), View(Paint(on=True))
TRAIN = """\
import torch
from net import model
mask = torch.ones(3)
model.cuda()
for images, labels in loader:
    out = model(images) * mask
"""
CALL = Span(6, 10, 6, 23)


def finding(applicability: Applicability | None = SAFE, **changes: object) -> Finding:
    fix = None
    if applicability is not None:
        edit = FileEdit("train.py", SetKeyword(Span(3, 7, 3, 20), "device", "images.device"))
        fix = Fix("make `mask` on `images.device`", (edit,), applicability)
    values: dict[str, object] = {
        "path": "train.py",
        "span": CALL,
        "code": "DF104",
        "rule": "created-on-cpu",
        "message": "`mask` is made on the CPU, `out` is on cuda",
        "marks": (Note("train.py", Span(6, 16, 6, 22), "cuda"), Note("train.py", Span(6, 26, 6, 30), "cpu")),
        "notes": (Note("train.py", Span(3, 7, 3, 20), "`mask` is made here"),),
        "fix": fix,
        **changes,
    }
    return Finding(**values)  # type: ignore[arg-type]


def results(*findings: Finding, **changes: object) -> Results:
    report = FileReport("train.py", findings=findings)
    values: dict[str, object] = {
        "reports": (report, FileReport("clean.py")),
        "sources": {"train.py": Source("train.py", TRAIN), "net.py": Source("net.py", "model = make()\n")},
        **changes,
    }
    return Results(**values)  # type: ignore[arg-type]


def test_text() -> None:
    assert render_text(results(finding()), PLAIN) == (
        """\
train.py:6:11: DF104 created-on-cpu `mask` is made on the CPU, `out` is on cuda
  |
6 |     out = model(images) * mask
  |                 ^^^^^^ cuda
  |                           ^^^^ cpu
  |
  = train.py:3:8: `mask` is made here  mask = torch.ones(3)
  [safe fix] make `mask` on `images.device`

Found 1 finding in 1 file; `devfix apply` fixes 1.
"""
    )


def test_text_of_a_finding_without_marks_and_with_notes_elsewhere() -> None:
    found = finding(
        UNSAFE,
        marks=(Note("net.py", Span(1, 0, 1, 5), "cuda"), Note("train.py", Span(3, 0, 3, 4), "cpu")),
        notes=(Note("train.py", CALL, "the fix is withheld"), Note("gone.py", Span(9, 0, 9, 1), "elsewhere")),
    )
    assert render_text(results(found), PLAIN) == (
        """\
train.py:6:11: DF104 created-on-cpu `mask` is made on the CPU, `out` is on cuda
  |
3 | mask = torch.ones(3)
  | ^^^^ cpu
...
6 |     out = model(images) * mask
  |           ^^^^^^^^^^^^^
  |
  = net.py:1:1: cuda  model = make()
  = the fix is withheld
  = gone.py:9:1: elsewhere
  [unsafe fix: --unsafe] make `mask` on `images.device`

Found 1 finding in 1 file.
Not applied without --unsafe: 1 fix (1 DF104 created-on-cpu).
"""
    )


def test_concise() -> None:
    findings = [finding(), finding(UNSAFE), finding(DISPLAY), finding(None, code="DF201", rule="other")]
    assert render_concise(results(*findings), PLAIN) == (
        """\
train.py:6:11: DF104 created-on-cpu `mask` is made on the CPU, `out` is on cuda [safe fix]
train.py:6:11: DF104 created-on-cpu `mask` is made on the CPU, `out` is on cuda [unsafe fix: --unsafe]
train.py:6:11: DF104 created-on-cpu `mask` is made on the CPU, `out` is on cuda [advice]
train.py:6:11: DF201 other `mask` is made on the CPU, `out` is on cuda
Found 4 findings in 1 file; `devfix apply` fixes 1.
Not applied without --unsafe: 1 fix (1 DF104 created-on-cpu).
"""
    )


def test_colours_change_nothing_but_colours() -> None:
    coloured = render_text(results(finding()), COLOURED)
    assert "\x1b[1;31mDF104\x1b[0m" in coloured
    for code in ("0", "1", "1;31", "2", "32", "33", "34", "36"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == render_text(results(finding()), PLAIN)


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, ["No findings in 2 files."]),
        ({"reports": ()}, ["No findings in 0 files."]),
        (
            {
                "reports": (
                    FileReport("a.py", suppressed=2),
                    FileReport("b.py", skipped=Skipped("b.py", "x")),
                    FileReport("c.py", crash=Crash("c.py", "x", "")),
                )
            },
            [
                "No findings in 2 files.",
                "Passed over: 2 suppressed findings, 1 skipped file, 1 file that devfix crashed on.",
            ],
        ),
        ({"applying": True}, ["Nothing to fix."]),
        (
            {"reports": (FileReport("a.py", skipped=Skipped("a.py", "does not exist")),)},
            ["Nothing was checked.", "Passed over: 1 skipped file."],
        ),
        (
            {"applying": True, "reports": (FileReport("a.py", skipped=Skipped("a.py", "is read-only")),)},
            ["Nothing was fixed.", "Passed over: 1 skipped file."],
        ),
        (
            {"applying": True, "reports": (FileReport("a.py", fixed=(finding(),), new_text="x"),)},
            ["Would fix 1 finding in 1 file."],
        ),
        (
            {
                "applying": True,
                "written": True,
                "reports": (
                    FileReport(
                        "a.py", (finding(UNSAFE), finding(None)), (finding(), finding()), new_text="x"
                    ),
                    FileReport("b.py", (), (finding(),), new_text="x"),
                ),
            },
            [
                "Fixed 3 findings in 2 files; 2 findings remain.",
                "Not applied without --unsafe: 1 fix (1 DF104 created-on-cpu).",
            ],
        ),
        (
            {
                "applying": True,
                "wanted": UNSAFE,
                "reports": (FileReport("a.py", (finding(UNSAFE),)),),
            },
            ["Nothing to fix; 1 finding remains."],
        ),
    ],
)
def test_summary(changes: dict[str, object], lines: list[str]) -> None:
    assert render_concise(results(**changes), PLAIN).splitlines()[-len(lines) :] == lines


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, 0),
        ({"reports": (FileReport("a.py", (finding(),)),)}, 1),
        ({"reports": (FileReport("a.py", new_text="x"),), "applying": True}, 1),
        ({"reports": (FileReport("a.py", new_text="x"),), "applying": True, "written": True}, 0),
        (
            {"reports": (FileReport("a.py", (finding(),), new_text="x"),), "applying": True, "written": True},
            1,
        ),
        ({"reports": (FileReport("a.py", skipped=Skipped("a.py", "x")),)}, 2),
        ({"reports": (FileReport("a.py", skipped=Skipped("a.py", "x", fault=False)),)}, 0),
        (
            {"reports": (FileReport("a.py", (finding(),)), FileReport("b.py", crash=Crash("b.py", "x", "")))},
            2,
        ),
    ],
)
def test_exit_code(changes: dict[str, object], code: int) -> None:
    assert results(**changes).exit_code == code


def test_faults() -> None:
    trace = "Traceback (most recent call last):\n  boom\n"
    run = results(
        reports=(
            FileReport("a.py", skipped=Skipped("a.py", "does not exist")),
            FileReport("b.py", skipped=Skipped("b.py", "is generated", fault=False)),
            FileReport("c.py", crash=Crash("c.py", "KeyError: 1", trace)),
            FileReport("d.py", crash=Crash("d.py", "KeyError: 1", trace)),
        )
    )
    assert render_faults(run, Paint()) == (
        """\
error: a.py does not exist
skipped: b.py is generated
crash: c.py: KeyError: 1
Traceback (most recent call last):
  boom
crash: d.py: KeyError: 1
A crash is a defect of devfix (or of the rule pack it names), not of your code; please report it with the lines above.
"""
    )


BROKEN = Skipped("a\x1b.py", "has a syntax error", line=10, column=9, text='\tx = "漢" 字\x07')


def test_what_does_not_parse_is_shown_at_its_place() -> None:
    run = results(
        reports=(FileReport("a.py", skipped=BROKEN), FileReport("b.py", skipped=Skipped("b.py", "no")))
    )
    assert render_faults(run, Paint(), excerpts=True) == (
        """\
a\\x1b.py:10:10: error: has a syntax error
   |
10 |     x = "漢" 字?
   |              ^^
   |
error: b.py no
"""
    )
    assert render_faults(run, Paint()) == "a\\x1b.py:10:10: error: has a syntax error\nerror: b.py no\n"
    place, _, _, carets, *_ = render_faults(run, Paint(on=True), excerpts=True).splitlines()
    assert place == "\x1b[1ma\\x1b.py\x1b[0m:10:10: \x1b[1;31merror\x1b[0m: has a syntax error"
    assert carets.endswith(" \x1b[1;31m^^\x1b[0m")


@pytest.mark.parametrize(
    ("skipped", "place"),
    [
        (replace(BROKEN, path="a.py", text=None), "a.py:10:10"),
        (replace(BROKEN, path="a.py", column=None), "a.py:10"),
    ],
)
def test_without_its_text_or_its_column_a_line_is_only_named(skipped: Skipped, place: str) -> None:
    run = results(reports=(FileReport("a.py", skipped=skipped),))
    assert render_faults(run, Paint(), excerpts=True) == f"{place}: error: has a syntax error\n"


def test_json() -> None:
    document = json.loads(render_json(results(finding(UNSAFE)), PLAIN))
    assert document["version"] == 1
    assert document["summary"] == {
        "findings": 1,
        "fixed": 0,
        "uncovered": 0,
        "changed_files": 0,
        "suppressed": 0,
        "unfinished": 0,
        "skipped": 0,
        "crashed": 0,
        "hidden_fixes": {"DF104": 1},
        "exit_code": 1,
    }
    train, clean = document["files"]
    assert (train["path"], clean["path"], clean["findings"]) == ("train.py", "clean.py", [])
    (found,) = train["findings"]
    assert found["span"] == {"line": 6, "column": 10, "end_line": 6, "end_column": 23}
    assert found["marks"][1] == {
        "path": "train.py",
        "cell": None,
        "span": {"line": 6, "column": 26, "end_line": 6, "end_column": 30},
        "text": "cpu",
    }
    assert found["fix"] == {
        "title": "make `mask` on `images.device`",
        "applicability": "unsafe",
        "edits": [
            {
                "path": "train.py",
                "kind": "SetKeyword",
                "span": {"line": 3, "column": 7, "end_line": 3, "end_column": 20},
                "name": "device",
                "value": "images.device",
            }
        ],
    }


def shown(line: str, start: int, end: int, end_line: int = 1) -> list[str]:
    mark = Note("a.py", Span(1, start, end_line, end), "here")
    return list(excerpt([line], [mark], Paint()))[1:-1]


@pytest.mark.parametrize(
    ("line", "start", "end", "expected"),
    [
        ("\tx = y\n", 5, 6, ["1 |     x = y", "  |         ^ here"]),
        ("日本 = y\r\n", 5, 6, ["1 | 日本 = y", "  |        ^ here"]),
        ("x = '\x1b[31m' + y\n", 4, 5, ["1 | x = '?[31m' + y", "  |     ^ here"]),
        ("x = y", 5, 5, ["1 | x = y", "  |      ^ here"]),
    ],
)
def test_carets_stand_under_what_they_mark(line: str, start: int, end: int, expected: list[str]) -> None:
    assert shown(line, start, end) == expected


def test_a_mark_that_goes_on_ends_with_its_line() -> None:
    assert shown("call(a,\n", 0, 3, end_line=2) == ["1 | call(a,", "  | ^^^^^^^ here"]


def test_a_long_line_is_cut_around_its_mark() -> None:
    line, carets = shown("a" * 1000 + "X" + "b" * 1000, 1000, 1001)
    assert len(line) < 170
    assert line.index("X") == carets.index("^")


def test_a_mark_beyond_the_text_is_left_out() -> None:
    assert list(excerpt(["x\n"], [Note("a.py", Span(9, 0, 9, 1), "")], Paint())) == []


def test_an_edit_of_any_kind_becomes_json() -> None:
    fix = Fix("t", (FileEdit("train.py", ReplaceExpression(CALL, "x")),), SAFE)
    document = json.loads(render_json(results(finding(fix=fix, alternatives=(fix,))), PLAIN))
    (found,) = document["files"][0]["findings"]
    assert found["alternatives"] == [found["fix"]]


def test_a_line_that_notes_speak_of_is_shown_once() -> None:
    made, named = (
        Note("train.py", Span(3, column, 3, 20), text) for column, text in ((7, "is made"), (0, "named"))
    )
    sink = Note("train.py", Span(6, 4, 6, 7), "kept")
    shown = render_text(results(finding(notes=(made, named, sink))), PLAIN).splitlines()
    assert [line for line in shown if line.startswith("  = ")] == [
        "  = train.py:3:8: is made  mask = torch.ones(3)",
        "  = train.py:3:1: named",
        "  = train.py:6:5: kept",
    ]
