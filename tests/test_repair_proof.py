"""The proof of repairs on a real accelerator: what counts, and what is good."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from gpu import prove_repairs
from gpu.kept_programs import HIDDEN, Seen, run_side
from gpu.prove_corpus import Run
from gpu.prove_repairs import prove, summary

GOOD = Seen(Run(0, "RESULT 1.0\n", ""), ("cuda",))
ON_HOST = Seen(Run(0, "RESULT 1.0\n", ""), ("cpu",))
OTHER = Seen(Run(0, "RESULT 2.0\n", ""), ("cuda",))
DEAD = Seen(Run(1, "", "RuntimeError: Expected all tensors to be on the same device"), ())


def record(
    sides: Mapping[str, Seen], folder: Path, monkeypatch: pytest.MonkeyPatch, *, adopts: bool = False
) -> dict[str, Any]:
    told = {
        "program": "p",
        "operator": "o",
        "role": "r",
        "style": "s",
        "adopts": adopts,
        "entry": "a.py",
        "args": [],
    }
    (folder / "mutant.json").write_text(json.dumps(told))
    for side in sides:
        (folder / side).mkdir()
    monkeypatch.setattr(prove_repairs, "run_side", lambda place, _told, _timeout: sides[place.name])
    return prove(folder, 1)


def test_a_repair_that_runs_is_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = {"original": GOOD, "mutant": DEAD, "default": DEAD, "unsafe": OTHER}
    found = record(sides, tmp_path, monkeypatch)
    assert found["counts"]
    assert found["good"] == {"default": False, "unsafe": True}
    assert found["equal"] == {"default": False, "unsafe": False}
    assert list(summary({"x": found}))[1].split() == ["o", "1", "0.0%", "100.0%", "0.0%"]


@pytest.mark.parametrize(("original", "mutant"), [(DEAD, DEAD), (GOOD, GOOD)])
def test_what_does_not_fail_here_does_not_count(
    original: Seen, mutant: Seen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = record({"original": original, "mutant": mutant, "unsafe": GOOD}, tmp_path, monkeypatch)
    assert not found["counts"]


@pytest.mark.parametrize(("repaired", "good"), [(GOOD, True), (ON_HOST, False)])
def test_an_adopted_program_trains_on_the_accelerator(
    repaired: Seen, good: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = {"original": GOOD, "mutant": ON_HOST, "unsafe": repaired}
    found = record(sides, tmp_path, monkeypatch, adopts=True)
    assert (found["counts"], found["good"]) == (True, {"unsafe": good})


def test_a_side_runs_in_a_copy(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "a.py").write_text("import sys\nopen('made', 'w')\nprint('RESULT', sys.argv[1])\n")
    seen = run_side(tmp_path, {"entry": "a.py", "args": ["0.5"]}, 120)
    assert seen == Seen(Run(0, "RESULT 0.5\n", ""), ())
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def test_a_side_sees_no_accelerator_that_is_hidden(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "a.py").write_text("import os\nprint('RESULT', len(os.environ['CUDA_VISIBLE_DEVICES']))\n")
    assert run_side(tmp_path, {"entry": "a.py", "args": []}, 120, HIDDEN).run.result == 0
