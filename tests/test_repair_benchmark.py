"""The benchmark of repairs, with a handful of mutants: what fails is told from what does not, and repairs from none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

pytest.importorskip("torch")

from repair import repairs, tables
from repair.mutant import Mutant, mutants_of
from repair.runs import Ran, Runs, result_of
from repair.trial import DEFAULT, UNSAFE, Original, Repair, Trial, original, tried
from repair.working_program import WorkingProgram

PROGRAM = """\
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 2).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 3).to(device)
y = torch.randint(0, 2, (8,)).to(device)
for step in range(2):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("RESULT", loss.item())
"""
WORKING = WorkingProgram("tiny", "plain script", {"main.py": PROGRAM}, "main.py")


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    opened = Runs()
    yield opened
    opened.close()


def mutant(operator: str, line: int) -> Mutant:
    (found,) = [each for each in mutants_of(WORKING) if (each.operator, each.line) == (operator, line)]
    return found


def test_a_working_program_is_left_alone(runs: Runs) -> None:
    first = original(WORKING, runs)
    assert (first.changed, first.broken) == (False, "")
    assert first.ran.adopted


@pytest.mark.parametrize(
    ("operator", "line"), [("move-dropped", 6), ("move-dropped", 9), ("no-device-handling", 0)]
)
def test_a_mistake_is_repaired(operator: str, line: int, runs: Runs) -> None:
    trial = tried(mutant(operator, line), original(WORKING, runs).ran, runs)
    assert trial is not None
    assert trial.good(UNSAFE)
    assert trial.repairs[UNSAFE].ratio <= tables.SMALL


def test_a_mistake_that_does_not_show_is_no_mutant(runs: Runs) -> None:
    """SGD keeps no state of its own, so that the model may be moved behind it."""
    assert tried(mutant("optimizer-before-move", 6), original(WORKING, runs).ran, runs) is None


def test_other_numbers_are_no_repair(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def cheat(texts: Mapping[str, str], **_options: bool) -> Mapping[str, str]:
        return dict.fromkeys(texts, "print('RESULT 0.25')\n")

    monkeypatch.setattr(repairs, "applied", cheat)
    monkeypatch.setattr(repairs, "applied_unsafe", cheat)
    trial = tried(mutant("move-dropped", 6), original(WORKING, runs).ran, runs)
    assert trial is not None
    assert not trial.good(UNSAFE)
    assert trial.repairs[UNSAFE].error.startswith("other numbers: 0.25 instead of")


def test_runs_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run(_self: Runs, program: WorkingProgram, texts: Mapping[str, str]) -> Ran:
        asked.append(texts)
        return Ran(0.5, "", ("cpu",))

    monkeypatch.setattr(Runs, "_run", run)
    for text in ("1", "1", "2"):
        assert Runs(tmp_path / "memory").run(WORKING, {"main.py": text}) == Ran(0.5, "", ("cpu",))
    assert asked == [{"main.py": "1"}, {"main.py": "2"}]


def test_what_ran_out_of_its_time_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Ran(None, "it ran out of its time", (), stopped=True)
    ends = iter([late, Ran(0.5, "", ("cpu",))])
    monkeypatch.setattr(Runs, "_run", lambda *_: next(ends))
    seen = [Runs(tmp_path / "memory").run(WORKING, {"main.py": "pass"}).result for _ in range(3)]
    assert seen == [None, 0.5, 0.5]


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        ("a\nRESULT 1e-3\n", 0.001),
        ("RESULT nan\n", None),
        ("RESULT x\n", None),
        ("RESULT 1\nRESULT 2\n", 2.0),
        ("", None),
    ],
)
def test_the_result_is_the_last_finite_number(printed: str, result: float | None) -> None:
    assert result_of(printed) == result


def test_changed_lines_are_those_of_a_diff() -> None:
    before = {"a": "1\n2\n3\n", "b": "x\n"}
    assert repairs.changed_lines(before, {"a": "1\n4\n3\n5\n", "b": "x\n"}) == 3
    assert repairs.changed_lines(before, {"a": "--1\n++2\n3\n", "b": "x\n"}) == 4


def test_the_table_counts_each_way() -> None:
    good, bad = Repair({}, good=True, error="", ratio=1.0), Repair({}, good=False, error="x", ratio=9.0)
    some = mutant("move-dropped", 6)
    trials = [Trial(some, "e", {DEFAULT: bad, UNSAFE: good}), Trial(some, "e", {DEFAULT: bad, UNSAFE: bad})]
    broken = Original(WORKING, Ran(1.0, "", ()), changed=True, broken="RESULT 2")
    lines = list(tables.report(trials, [broken]))
    assert lines[1].split() == ["move-dropped", "2", "0.0%", "50.0%", "1.00", "100.0%"]
    assert "  HARM tiny changed RESULT 2" in lines
    assert list(tables.failure(trials[1]))[1:] == [
        "   place: net = nn.Linear(3, 2).to(device)",
        "   error: e",
        "   after: x",
    ]


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        ("RuntimeError: Expected all tensors to be on the same device", True),
        ("TypeError: can't convert cuda:0 device type tensor to numpy", True),
        ("RuntimeError: Found dtype Double but expected Float", True),
        ("TypeError: train() missing 1 required positional argument: 'device'", False),
        ("NameError: name 'device' is not defined", False),
        ("ValueError: batch size 0", False),
    ],
)
def test_a_mutant_dies_of_a_device_or_dtype(error: str, counts: bool) -> None:
    assert Ran(None, error, ()).mismatched == counts
