"""Every case of the corpus was run on a real accelerator, with the files as they are now."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from corpus_case import CORPUS, CorpusCase, corpus_cases
from gpu.prove_corpus import PROVEN, Proof, Run, run_side, verdict

CASES = corpus_cases()
AGAIN = "run tests/gpu/prove_corpus.py --stale on a machine with a GPU"


@cache
def proof() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((CORPUS / "proof.json").read_text(encoding="utf-8"))
    return loaded


def test_each_record_names_the_machine() -> None:
    for record in proof()["cases"].values():
        run = proof()["runs"][record["run"]]
        assert all(run[key] for key in ("gpu", "torch", "python", "commit", "date"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_case_is_proven_with_its_files_as_they_are(case: CorpusCase) -> None:
    record = proof()["cases"].get(case.name)
    assert record is not None, f"never proven; {AGAIN}"
    assert record["verdict"] == PROVEN
    assert record["sha256"] == case.sha256(), f"proven with other files; {AGAIN}"


def test_nothing_is_recorded_that_is_not_there() -> None:
    assert sorted(set(proof()["cases"]) - {case.name for case in CASES}) == []


def a_case(kind: str) -> CorpusCase:
    return next(case for case in CASES if case.kind == kind)


FINE = Run(0, "epoch 1\nRESULT 0.5\n", "")
SILENT = Run(0, "done\n", "")
NOT_FINITE = Run(0, "RESULT nan\n", "")
OTHER = Run(1, "", "Traceback\nKeyError: 3\n")
HANGS = Run(None, "RESULT 1\n", "")


@pytest.mark.parametrize(
    ("kind", "before", "after", "expected"),
    [
        ("device", FINE, FINE, "before-runs"),
        ("device", OTHER, FINE, "before-dies-otherwise"),
        ("device", HANGS, FINE, "out-of-time"),
        ("ok", FINE, None, PROVEN),
        ("ok", SILENT, None, "before-dies"),
        ("ok", NOT_FINITE, None, "before-dies"),
        ("ok", OTHER, None, "before-dies"),
        ("advice", FINE, FINE, PROVEN),
        ("advice", FINE, OTHER, "after-dies"),
        ("advice", FINE, SILENT, "after-dies"),
    ],
)
def test_a_verdict_follows_from_the_runs(kind: str, before: Run, after: Run | None, expected: str) -> None:
    assert verdict(a_case(kind), before, after) == expected


def test_a_program_that_dies_as_announced_and_runs_when_fixed_is_proven() -> None:
    case = replace(a_case("device"), error="on the same device|never seen")
    dies = Run(1, "epoch 1\n", "RuntimeError: Expected all tensors to be on the same device, but found\n")
    assert verdict(case, dies, FINE) == PROVEN
    assert verdict(case, dies, None) == "after-dies"
    assert dies.error == "RuntimeError: Expected all tensors to be on the same device, but found"


def test_a_run_that_hangs_ends_with_its_children(tmp_path: Path) -> None:
    program = "import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    (tmp_path / "before.py").write_text(program + "print('RESULT 1', flush=True)\ntime.sleep(60)\n")
    case = replace(a_case("ok"), folder=tmp_path, entry="before.py")
    assert run_side(case, "before", 1.0).code is None


def test_the_fingerprint_follows_the_files(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.has("after") and case.folder.joinpath("before.py").exists())
    copy = replace(case, folder=Path(shutil.copytree(case.folder, tmp_path / "copy")))
    assert copy.sha256() == case.sha256()
    (copy.folder / "notes.txt").write_text("no part of the case")
    assert copy.sha256() == case.sha256()
    (copy.folder / "after.py").write_text("print('other')\n")
    assert copy.sha256() != case.sha256()


def test_what_holds_is_kept_with_the_run_it_comes_from(tmp_path: Path) -> None:
    same, changed, failed, new = CASES[:4]
    runs = [{"gpu": "one"}, {"gpu": "another"}, {"gpu": "a third"}]
    records = {
        same.name: {"verdict": PROVEN, "sha256": same.sha256(), "run": 1},
        changed.name: {"verdict": PROVEN, "sha256": "of other files", "run": 0},
        failed.name: {"verdict": "after-dies", "sha256": failed.sha256(), "run": 0},
        "of/old": {"verdict": PROVEN, "sha256": "", "run": 2},
    }
    Proof(runs, records).write(tmp_path / "proof.json")
    kept = Proof.kept(tmp_path / "proof.json", [same, changed, failed, new])
    assert kept.cases == {same.name: records[same.name]}
    kept.write(tmp_path / "proof.json")
    written = json.loads((tmp_path / "proof.json").read_text())
    assert written == {"runs": [runs[1]], "cases": {same.name: {**records[same.name], "run": 0}}}


def test_nothing_is_kept_where_nothing_was_proven(tmp_path: Path) -> None:
    assert Proof.kept(tmp_path / "proof.json", CASES) == Proof([], {})
