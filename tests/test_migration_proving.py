"""Proofs in a campaign: what is refuted is not committed, and what cannot be run is told."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import pytest
from toy_proofs import LAUNCHER, WITNESS, engine, write

from devfix.migration import proving_run
from devfix.migration.campaign import Campaign, Repository
from devfix.migration.rewriting import within
from devfix.migration.source_name import Source
from devfix.migration.steps import Made, Outcome, StepEndError
from devfix.proof.laboratory import Laboratory
from devfix.sandbox.enclosure import OPEN

HEAD = "import torch\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to prove in, where everything that is heavy is a toy."""
    monkeypatch.setattr("devfix.proof.laboratory.LAUNCHER", LAUNCHER)
    monkeypatch.setattr(proving_run, "Laboratory", partial(Laboratory, isolation=OPEN))
    monkeypatch.setattr(proving_run, "engine_for", lambda *_: engine())
    (tmp_path / "temporary").mkdir()
    return tmp_path / "tree"


def prove(tree: Path, command: str = "train.py") -> Made:
    repository = Repository(Source(str(tree), is_path=True), "r", prove=command)
    campaign = Campaign("gpu", tree.parent / "gpu", "b", (repository,))
    return proving_run.prove(campaign, repository, WITNESS, tree, tree.parent / "temporary")


def test_what_is_fixed_is_told(tree: Path) -> None:
    write(tree, {"train.py": f"{HEAD}print('RESULT', bad(1))\n"})
    made = prove(tree)
    assert made.data["verdicts"] == {"fixed": 1}
    assert "bad" in (tree / "train.py").read_text()


def test_a_changed_result_ends_the_work(tree: Path) -> None:
    write(tree, {"train.py": f"{HEAD}print('RESULT', odd(1))\n"})
    with pytest.raises(StepEndError) as caught:
        prove(tree)
    assert caught.value.outcome is Outcome.FAILED
    assert "changed-result" in caught.value.reason
    assert caught.value.data["verdicts"] == {"changed-result": 1}


def test_a_program_that_is_not_there_is_no_fault(tree: Path) -> None:
    write(tree, {"main.py": HEAD})
    made = prove(tree)
    assert made.data["verdicts"] == {}
    assert "does not exist" in made.data["note"]


def test_nothing_is_imported_from_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stolen.py").write_text("raise SystemExit('run')\n")
    monkeypatch.setattr(sys, "path", ["", ".", *sys.path])
    here = os.getcwd()
    with within(tmp_path), pytest.raises(ModuleNotFoundError):
        __import__("stolen")
    assert (os.getcwd(), sys.path[0]) == (here, "")
