"""The benchmark of whole programs: what is asked of each kind, on the simulated accelerator and on a real one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from gpu import prove_programs
from gpu.kept_programs import HIDDEN, Seen
from gpu.prove_corpus import Run
from repair import repairs
from repair.program_record import ADOPTED, CORRECT, FAILING, ProgramRecord, shortfalls, table
from repair.programs import measured
from repair.runs import Ran, Runs, trained_on
from repair.working_program import WorkingProgram, cases_of_folder, programs_of_folder

WITHOUT = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
x = torch.ones(8, 3)
y = torch.zeros(8, dtype=torch.long)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("RESULT", loss.item())
"""
CHOICE = '\ndevice = "cuda" if torch.cuda.is_available() else "cpu"\n'
RIGHT = (
    WITHOUT.replace("\n\n", f"\n{CHOICE}", 1)
    .replace("Linear(3, 2)", "Linear(3, 2).to(device)")
    .replace("ones(8, 3)", "ones(8, 3, device=device)")
    .replace("torch.long", "torch.long, device=device")
)
WRONG = RIGHT.replace("torch.long, device=device", "torch.long")

DEAD = Ran(None, "RuntimeError: Expected all tensors to be on the same device", ())
GOOD, OTHER = Ran(0.5, "", ("cuda",)), Ran(0.25, "", ("cuda",))


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    opened = Runs()
    yield opened
    opened.close()


def tiny(text: str) -> WorkingProgram:
    return WorkingProgram("tiny", "", {"main.py": text}, "main.py")


def record(kind: str, ends: Mapping[str, Ran], **others: Any) -> ProgramRecord:
    kept = {"changed": False, "settled": True, "lines": 0, **others}
    return ProgramRecord("tiny", kind, ends=ends, **kept)


@pytest.mark.parametrize(
    ("text", "kind", "changed"), [(WRONG, FAILING, True), (RIGHT, CORRECT, False), (WITHOUT, ADOPTED, False)]
)
def test_each_kind_goes_well(text: str, kind: str, changed: bool, runs: Runs, tmp_path: Path) -> None:
    found = measured(tiny(text), kind, runs)
    assert (found.record.counts, found.record.changed) == (True, changed)
    assert list(shortfalls(found.record)) == []
    found.keep(tmp_path)
    forms = {path.parent.name: path.read_text() for path in tmp_path.glob("tiny/*/main.py")}
    assert forms == {side: texts["main.py"] for side, texts in found.forms.items()}
    assert json.loads((tmp_path / "tiny" / "program.json").read_text())["entry"] == "main.py"


def test_what_reading_does_not_mend_is_run(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repairs, "applied_unsafe", lambda texts, **_options: texts)
    found = measured(tiny(WRONG), FAILING, runs)
    assert list(found.forms) == ["before", "default", "unsafe", "with_run"]
    assert [line.split(": ")[0] for line in shortfalls(found.record)] == [
        "NOT  tiny  run after apply --unsafe"
    ]


def test_a_crash_is_told(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_texts: Mapping[str, str], **_options: bool) -> Mapping[str, str]:
        message = "no such thing"
        raise LookupError(message)

    monkeypatch.setattr(repairs, "applied_unsafe", crash)
    found = measured(tiny(RIGHT), CORRECT, runs)
    assert list(shortfalls(found.record)) == [
        "NOT  tiny  same number after apply --unsafe: LookupError: no such thing"
    ]


def test_the_table_asks_of_each_kind_what_fits() -> None:
    records = [
        record(FAILING, {"before": DEAD, "default": DEAD, "unsafe": GOOD}, changed=True),
        record(FAILING, {"before": DEAD, "default": DEAD, "unsafe": DEAD, "with_run": GOOD}),
        record(FAILING, {"before": GOOD, "default": GOOD, "unsafe": GOOD}),
        record(CORRECT, {"before": GOOD, "default": GOOD, "unsafe": OTHER}, changed=True, settled=False),
    ]
    lines = [line.rsplit(maxsplit=4) for line in table(records)]
    shares = {line[0].strip(): tuple(line[1:]) for line in lines if line[-1].endswith("%")}
    assert shares == {
        "run after apply": ("0", "of", "2", "0.0%"),
        "run after apply --unsafe": ("1", "of", "2", "50.0%"),
        "run after that or run --fix --unsafe": ("2", "of", "2", "100.0%"),
        "left alone to the byte by apply": ("0", "of", "1", "0.0%"),
        "same number after apply --unsafe": ("0", "of", "1", "0.0%"),
        "unchanged by a second apply --unsafe": ("2", "of", "3", "66.7%"),
    }
    assert next(table(records)) == "failing: 2 of 3 programs count"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            record(CORRECT, {"before": GOOD, "unsafe": OTHER}),
            "same number after apply --unsafe: 0.25 instead of 0.5",
        ),
        (
            record(CORRECT, {"before": GOOD, "unsafe": DEAD}),
            f"same number after apply --unsafe: {DEAD.error}",
        ),
        (
            record(ADOPTED, {"before": GOOD, "unsafe": replace(GOOD, trained_on=("cpu", "cuda"))}),
            "train on the accelerator alone after apply --unsafe --adopt: trained on cpu, cuda",
        ),
        (
            record(ADOPTED, {"before": GOOD, "unsafe": GOOD}, hidden={"before": GOOD, "unsafe": DEAD}),
            f"same number without an accelerator: {DEAD.error}",
        ),
    ],
)
def test_what_does_not_go_well_is_told(found: ProgramRecord, said: str) -> None:
    assert list(shortfalls(found)) == [f"NOT  tiny  {said}"]


@pytest.mark.parametrize(
    ("report", "devices"),
    [
        ({"parameters": {"device_types": ["cpu"]}, "gradients_on": ["cuda"]}, ("cpu",)),
        ({"parameters": None, "gradients_on": ["cuda"]}, ("cuda",)),
        ({"parameters": None, "gradients_on": []}, ()),
        ({}, ()),
    ],
)
def test_what_has_gradients_was_trained_where_no_optimizer_stepped(
    report: Mapping[str, Any], devices: tuple[str, ...]
) -> None:
    assert trained_on(report) == devices


def test_what_fails_as_it_is_does_not_count_as_right() -> None:
    found = record(CORRECT, {"before": DEAD, "unsafe": DEAD})
    assert list(shortfalls(found)) == [f"does not count  tiny: {DEAD.error}"]


def test_a_folder_of_cases_is_read_as_it_is(tmp_path: Path) -> None:
    for name, expected in (("a", "ok"), ("b", "device_error")):
        (tmp_path / name / "__pycache__").mkdir(parents=True)
        (tmp_path / name / "__pycache__" / "main.pyc").write_bytes(b"\0")
        (tmp_path / name / "main.py").write_bytes(b"x = 1\r\n")
        (tmp_path / name / "words.txt").write_text("x")
        (tmp_path / name / "case.json").write_text(
            json.dumps({"entry": "main.py", "expect_before": expected})
        )
    found = list(cases_of_folder(tmp_path))
    assert [(expected, program.name) for expected, program in found] == [("ok", "a"), ("device_error", "b")]
    assert found[0][1].texts == {"main.py": "x = 1\r\n"}
    assert found[0][1].data == {"words.txt": tmp_path / "a" / "words.txt"}
    assert [program.name for program in programs_of_folder(tmp_path)] == ["a"]


@pytest.mark.parametrize("kind", [FAILING, ADOPTED])
@pytest.mark.parametrize("breaks", [False, True])
def test_each_form_runs_once_and_what_has_to_run_anywhere_also_without_a_gpu(
    kind: str, breaks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"name": "p", "kind": kind, "changed": True, "settled": True, "lines": 2}
    (tmp_path / "program.json").write_text(json.dumps({**told, "entry": "a.py", "args": []}))
    for side, text in (("before", "1"), ("default", "1"), ("unsafe", "2")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.py").write_text(text)
    asked = []

    def run(form: Path, _told: Mapping[str, Any], _timeout: float, settings: Mapping[str, str]) -> Seen:
        asked.append((form.name, settings))
        fails = breaks and form.name == "unsafe" if settings else kind == FAILING and form.name == "before"
        code = int(fails)
        return Seen(Run(code, "RESULT 1.0", "ValueError: no"), ("cpu",) if settings else ("cuda",))

    monkeypatch.setattr(prove_programs, "run_side", run)
    found = prove_programs.prove(tmp_path, 1)
    assert asked == [("before", {}), ("unsafe", {}), ("before", HIDDEN), ("unsafe", HIDDEN)]
    broken = ["NOT  p  same number without an accelerator: ValueError: no"]
    assert list(shortfalls(found)) == broken * breaks
    assert found.ends["default"] == found.ends["before"]
