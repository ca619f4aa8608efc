"""``devfix run --fix``: from the command line to the program's new text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from observed_reports import FOLDER, Report, operand, record
from typer.testing import CliRunner

from devfix.cli import app
from devfix.file_report import FileReport
from devfix.findings import Applicability, Finding, Fix, Span
from devfix.observation.record import parse_record
from devfix.observation.repair import Repair
from devfix.observation.search import Mended, State
from devfix.observation.trial import Trial
from devfix.project import Project
from devfix.proof.subject import SubjectError
from devfix.report.results import Results
from devfix.running import fix as fixing
from devfix.running.mending import Mending, subject_of
from devfix.running.request import Request
from devfix.source import Source

pytest_plugins = ["preloaded"]
runner = CliRunner()

BEFORE = """\
import json

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(device)
for name in json.loads('["offset"]'):
    globals()[name] = torch.arange(3.0)
print("RESULT", (x + offset).sum().item())
"""
AFTER = BEFORE.replace("(x + offset)", "(x + offset.to(device))")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preloaded: None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.py").write_text(BEFORE, encoding="utf-8")


def test_a_program_is_run_mended_and_proven(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    result = runner.invoke(app, ["run", "--fix", "main.py"])
    assert result.exit_code == 0, result.output
    text = (tmp_path / "main.py").read_text(encoding="utf-8")
    assert text != BEFORE
    assert "The program runs through." in result.stdout
    assert "(seen in a run)" in result.stdout
    assert "devfix runs your code, in a copy of its folder" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main.py", "pyproject.toml"]


WRITTEN = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = torch.zeros(4, 2)
odds = torch.full((4, 2), 0.5).to(device)
for column in range(2):
    torch.add(odds[:, column], 1.0, out=rows[:, column])
print("RESULT", rows.sum().item())
"""


def test_what_an_operation_writes_to_is_no_copy_of_it(tmp_path: Path) -> None:
    """The numbers would be lost, and nothing would fail."""
    (tmp_path / "main.py").write_text(WRITTEN, encoding="utf-8")
    result = runner.invoke(app, ["run", "--fix", "main.py"])
    assert result.exit_code == 0, result.output
    text = (tmp_path / "main.py").read_text(encoding="utf-8")
    assert text != WRITTEN
    assert "out=rows[:, column])" in text


#: What a program executes need not be a module of it.
STEP = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3).to(device)
print("RESULT", (x + torch.arange(3.0)).sum().item())
"""


@pytest.mark.parametrize("executed", ['run_module("pieces." + "step")', 'run_path("pieces/step.py")'])
def test_a_file_that_is_executed_and_not_imported_belongs_to_the_program(
    tmp_path: Path, executed: str
) -> None:
    (tmp_path / "pieces").mkdir()
    (tmp_path / "pieces" / "step.py").write_text(STEP, encoding="utf-8")
    (tmp_path / "main.py").write_text(f"import runpy\n\nrunpy.{executed}\n", encoding="utf-8")
    result = runner.invoke(app, ["run", "--fix", "main.py"])
    assert result.exit_code == 0, result.output
    text = (tmp_path / "pieces" / "step.py").read_text(encoding="utf-8")
    assert text == STEP.replace("arange(3.0)", "arange(3.0, device=device)")


#: A layer of a folder beside the project, as of another one that is installed in place.
BESIDE = """\
import torch

class Scale(torch.nn.Module):
    def __init__(self, count):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(count))

    def forward(self, x):
        return x * self.weight
"""
USING = """\
import torch
from beside import Scale

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = Scale(3)
print("RESULT", scale(torch.ones(2, 3).to(device)).sum().item())
"""


UNDER_AUTOCAST = """\
import json

import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid()).cuda()
loss = nn.BCELoss()
with torch.autocast("cuda", dtype=getattr(torch, json.loads('"float16"'))):
    guess = net(torch.ones(2, 3, device="cuda"))
    error = loss(guess, torch.ones(2, 1, device="cuda"))
error.backward()
print("RESULT", error.item())
"""


def test_a_loss_that_autocast_refuses_goes_behind_its_block(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(UNDER_AUTOCAST, encoding="utf-8")
    result = runner.invoke(app, ["run", "--fix", "--unsafe", "main.py"])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "main.py").read_text(encoding="utf-8") == UNDER_AUTOCAST.replace(
        "    error = loss(guess,", "error = loss(guess.float(),"
    )


def test_what_lies_outside_of_the_project_is_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, library = tmp_path / "project", tmp_path / "library"
    for path, text in ((project / "main.py", USING), (library / "beside.py", BESIDE)):
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
    (project / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(library), prepend=os.pathsep)
    monkeypatch.chdir(project)
    result = runner.invoke(app, ["run", "--fix", "main.py"])
    assert result.exit_code == 0, result.output
    assert (project / "main.py").read_text(encoding="utf-8") == USING.replace("(3)\n", "(3).to(device)\n")
    assert (library / "beside.py").read_text(encoding="utf-8") == BESIDE


def _mending(verdict: str, *, written: bool = False, note: str = "") -> Mending:
    start = Project([Source("main.py", BEFORE)]).whole()
    end = start.with_texts({"main.py": AFTER})
    fix = Fix("move `offset` (seen in a run)", (), Applicability.SAFE)
    finding = Finding(
        "main.py", Span(9, 16, 9, 26), "DF102", "operand-not-moved", "`offset` is on the CPU", fix=fix
    )
    trial = Trial(parse_record(record()))
    mended = (Mended(finding, "run"),) if verdict == "fixed" else ()
    changed = verdict == "fixed"
    repair = Repair(verdict, State(start, trial), State(end if changed else start, trial, mended), trial)
    report = FileReport("main.py", fixed=(finding,) if changed else (), new_text=AFTER if changed else None)
    return Mending(repair, Results((report,), start.sources, applying=True, written=written), 5, note)


def _left_over(*operands: dict[str, Any], path: str = "main.py", **more: Any) -> Mending:
    """A program of whose one mismatch nothing was mended."""
    report = Report({path: BEFORE})
    mismatch = report.mismatch("aten::add", [report.place("x + offset", path)], operands, **more)
    program = Project([Source(f"{FOLDER}/main.py", BEFORE)]).whole()
    trial = Trial(replace(parse_record(record()), mismatches=(mismatch,)))
    state = State(program, trial)
    return Mending(Repair("still-fails", state, state, trial), Results((), program.sources, applying=True), 5)


def test_what_is_left_is_told_with_its_operands_and_what_to_do(mended: list[Mending]) -> None:
    report = Report({"main.py": BEFORE})
    made = report.made("factory", "torch.arange", "torch.arange(3.0)")
    mended.append(_left_over(operand("self", "cuda:0", ["x"]), operand("other", "cpu", ["offset"], made)))
    told = runner.invoke(app, ["run", "--fix", "main.py"]).stdout
    assert "/main.py:9:18: left: device: tensors on two devices meet in add, 1 time" in told
    assert "! other `offset`: float32 [4, 4] on cpu" in told
    assert "made by torch.arange, /project/main.py:8:23" in told
    assert (
        "= to do: tell `torch.arange` the device in /project/main.py:8:23, or move `offset` to cuda:0" in told
    )
    assert "= to do: `devfix explain operand-not-moved`" in told
    assert "project's own files" not in told


def test_json_tells_the_same_of_what_is_left(mended: list[Mending]) -> None:
    mended.append(_left_over(operand("self", "cuda:0", ["x"]), operand("other", "cpu", ["offset"])))
    shown = runner.invoke(app, ["run", "--fix", "--format", "json", "main.py"]).stdout
    [left] = json.loads(shown)["left"]
    assert [(each["names"], each["device"], each["blamed"]) for each in left["operands"]] == [
        (["offset"], "cpu", True),
        (["x"], "cuda:0", False),
    ]
    assert left["to_do"][0] == "move `offset` to cuda:0 before this line"


def test_a_mismatch_in_a_file_that_is_not_rewritten_says_so(mended: list[Mending]) -> None:
    mended.append(_left_over(operand("other", "cpu", ["offset"]), path="library.py"))
    told = runner.invoke(app, ["run", "--fix", "main.py"]).stdout
    assert "/project/library.py:9:18 is none of the project's own files" in told


@pytest.fixture
def mended(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Mending]]:
    """What the next call of the command gets instead of real runs."""
    waiting: list[Mending] = []
    monkeypatch.setattr(fixing, "find_interpreter", lambda _named, _folder: "python")
    monkeypatch.setattr(fixing, "mend", lambda *_args, **_options: waiting.pop())
    yield waiting
    assert waiting == []


def test_with_diff_a_patch_goes_to_standard_output_and_all_else_to_standard_error(
    mended: list[Mending],
) -> None:
    mended.append(_mending("fixed"))
    result = runner.invoke(app, ["run", "--fix", "--diff", "main.py"])
    assert result.exit_code == 1
    assert '+print("RESULT", (x + offset.to(device)).sum().item())' in result.stdout
    assert "Would fix 1 finding in 1 file, tried in 5 runs." in result.stderr
    assert "DF102" not in result.stdout


@pytest.mark.parametrize(
    ("verdict", "written", "code"),
    [
        ("fixed", True, 0),
        ("clean", True, 0),
        ("still-fails", True, 1),
        ("changed-result", True, 1),
        ("cannot-run", True, 2),
    ],
)
def test_exit_codes(mended: list[Mending], verdict: str, written: bool, code: int) -> None:
    mended.append(_mending(verdict, written=written))
    assert runner.invoke(app, ["run", "--fix", "main.py"]).exit_code == code


@pytest.mark.parametrize("verdict", ["fixed", "clean"])
def test_quietly_nothing_is_said_where_all_is_well(mended: list[Mending], verdict: str) -> None:
    mended.append(_mending(verdict, written=True))
    result = runner.invoke(app, ["run", "--fix", "--quiet", "main.py"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("verdict", ["still-fails", "changed-result", "cannot-run"])
def test_quietly_it_is_said_what_is_not_well(mended: list[Mending], verdict: str) -> None:
    mended.append(_mending(verdict, written=True))
    result = runner.invoke(app, ["run", "--fix", "--quiet", "main.py"])
    assert (bool(result.stdout), result.stderr) == (True, "")


def test_json_says_who_found_what(mended: list[Mending]) -> None:
    mended.append(_mending("fixed", written=True))
    found = json.loads(runner.invoke(app, ["run", "--fix", "--format", "json", "main.py"]).stdout)
    assert (found["verdict"], found["changed"], found["runs"]) == ("fixed", ["main.py"], 5)
    assert [(each["code"], each["line"], each["witness"]) for each in found["fixed"]] == [("DF102", 9, "run")]


def test_numbers_that_would_change_are_a_reason_to_change_nothing(mended: list[Mending]) -> None:
    mended.append(_mending("changed-result", note="on the CPU its parameters would change: 1 against 2"))
    result = runner.invoke(app, ["run", "--fix", "main.py"])
    assert "Nothing is changed: on the CPU its parameters would change: 1 against 2." in result.stdout
    assert "With --unsafe" in result.stdout


def test_diff_and_unsafe_go_with_fix() -> None:
    assert runner.invoke(app, ["run", "--diff", "main.py"]).exit_code == 2
    assert runner.invoke(app, ["run", "--unsafe", "main.py"]).exit_code == 2


def test_only_the_projects_own_python_files_are_rewritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    with pytest.raises(SubjectError, match=r"notes\.txt is not a Python file \(\.py\) or notebook"):
        subject_of(Request(str(tmp_path / "notes.txt")), tmp_path)
    with pytest.raises(SubjectError, match=r"no module json\.tool"):
        subject_of(Request("json.tool", is_module=True), tmp_path)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text("", encoding="utf-8")
    assert subject_of(Request("package", is_module=True), tmp_path).module == "package"
    assert subject_of(Request("package"), tmp_path).script.name == "__main__.py"
