"""What the analysis did not come to the end of is said, and nothing is concluded from it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from text_program import analyse_text, files, project, rules
from typer.testing import CliRunner

from devfix import engine
from devfix.analysis import entries, interpreter
from devfix.baseline.known import hide, known_from
from devfix.cli import app
from devfix.config import Settings
from devfix.file_report import RUN, FileReport
from devfix.report.json import render_json
from devfix.report.json_lines import render_json_lines
from devfix.report.results import Results
from devfix.report.summary import summary
from devfix.report.view import View

#: Functions that no run reaches, the first of which takes a while, and a fault in the last.
PROGRAM = """
    import torch

    def long(x):
        {steps}

    class Net(torch.nn.Module):
        def forward(self, x):
            return x

        def mask(self):
            return torch.ones(3).cuda() + torch.ones(3)  # devfix: ignore[DF104]
    """
STEPS = "; ".join(["x = x + 1"] * 40)


@pytest.fixture
def _small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "_BUDGET", 30)
    monkeypatch.setattr(entries, "_BUDGET_OF_A_LINE", 0)


@pytest.fixture
def _short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "STEP_LIMIT", 30)


def reports(*texts: str, **named: str) -> list[FileReport]:
    return engine.check(project(files(*texts, **named)), rules(), Settings())


def test_all_of_an_ordinary_program_is_analysed() -> None:
    assert analyse_text(PROGRAM.format(steps=STEPS)).unfinished() == {}


@pytest.mark.usefixtures("_small_budget")
def test_functions_past_the_budget_are_named() -> None:
    assert analyse_text(PROGRAM.format(steps=STEPS)).unfinished() == {"main.py": ("Net.forward", "Net.mask")}


@pytest.mark.usefixtures("_small_budget")
def test_files_past_the_budget_are_named() -> None:
    main = f"import torch, one\n{STEPS}"
    two = "import torch, one\ndef unused(x):\n    return x\n"
    found = analyse_text(main, one="def used(x):\n    return x\n", two=two).unfinished()
    assert found == {"two.py": (RUN, "unused"), "one.py": ("used",)}


@pytest.mark.usefixtures("_short_runs")
def test_runs_that_are_given_up_are_named() -> None:
    script = f"import torch\n{STEPS}"
    assert analyse_text(script).unfinished() == {"main.py": (RUN,)}
    assert analyse_text(PROGRAM.format(steps=STEPS)).unfinished() == {"main.py": ("long",)}
    assert analyse_text("import torch, slow", slow=STEPS.replace("x = x", "x = 0")).unfinished() == {
        "slow.py": (RUN,)
    }


@pytest.mark.usefixtures("_small_budget")
def test_a_comment_in_what_was_not_analysed_is_not_unused() -> None:
    (report,) = reports(PROGRAM.format(steps=STEPS))
    assert (report.findings, report.unfinished) == ((), ("Net.forward", "Net.mask"))


@pytest.mark.usefixtures("_small_budget")
def test_what_is_known_of_it_is_not_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.py").touch()  # what is known of files that are gone is stale
    text = PROGRAM.format(steps=STEPS).replace("  # devfix: ignore[DF104]", "")
    sources = project(files(text)).sources
    with monkeypatch.context() as context:
        context.setattr(entries, "_BUDGET", 60_000)
        known = known_from(Results(tuple(reports(text)), sources), str(tmp_path), "baseline")
    left_out = Results(tuple(reports(text)), sources)
    assert hide(left_out, known, lambda *_: True).stale == ()
    finished = replace(left_out, reports=tuple(replace(each, unfinished=()) for each in left_out.reports))
    assert hide(finished, known, lambda *_: True).stale


@pytest.mark.usefixtures("_small_budget")
def test_an_update_keeps_what_is_known_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = files(PROGRAM.format(steps=STEPS).replace("  # devfix: ignore[DF104]", ""))["main.py"]
    Path("main.py").write_text(text)
    with monkeypatch.context() as context:
        context.setattr(entries, "_BUDGET", 60_000)
        assert CliRunner().invoke(app, ["check", "--no-cache", "--write-baseline"]).exit_code == 0
    known = Path("devfix-baseline.json").read_text()
    assert "Net.mask" in known
    assert CliRunner().invoke(app, ["check", "--no-cache", "--update-baseline"]).exit_code == 0
    assert Path("devfix-baseline.json").read_text() == known


def test_reports_tell_it() -> None:
    names = tuple(f"f{number}" for number in range(5))
    found = Results(
        (
            FileReport("a.py", unfinished=(RUN, *names)),
            FileReport("b.py"),
            *(FileReport(f"c{number}.py", unfinished=("Net.forward",)) for number in range(3)),
        ),
        {},
    )
    listed = [
        "a.py (its own run, `f0`, `f1`, 3 more)",
        "c0.py (`Net.forward`)",
        "c1.py (`Net.forward`)",
        "1 more",
    ]
    assert list(summary(found, View())) == [
        "No findings in 5 files.",
        f"Not analysed to the end, so that more may be wrong: {'; '.join(listed)}.",
    ]
    assert found.exit_code == 0
    document = json.loads(render_json(found, View()))
    assert [each["unfinished"] for each in document["files"]] == [[RUN, *names], [], *[["Net.forward"]] * 3]
    assert document["summary"]["unfinished"] == 4
    first = json.loads(render_json_lines(found, View()).splitlines()[0])
    assert first == {"kind": "unfinished", "path": "a.py", "functions": [RUN, *names]}
