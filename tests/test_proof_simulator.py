"""`devfix prove` with everything real: the rules, torch, and the simulated accelerator."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from sandbox_children import state
from typer.testing import CliRunner

from devfix.cli import app

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are held within limits on POSIX")

pytest_plugins = ["preloaded"]

TRAINING = """\
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    inputs, labels = torch.randn(8, 4), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
"""
WAITING = "import time\nimport torch\nprint('waiting', flush=True)\ntime.sleep(600)\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def prove(*arguments: str) -> tuple[int, dict[str, Any]]:
    options = ["--on", "simulator", "--python", sys.executable, "--output-format", "json"]
    result = CliRunner().invoke(app, ["prove", *arguments, *options], catch_exceptions=False)
    program: dict[str, Any] = json.loads(result.stdout)["programs"][0]
    return result.exit_code, program


@pytest.mark.usefixtures("preloaded")
def test_a_training_that_is_repaired() -> None:
    Path("train.py").write_text(TRAINING)
    before = state(Path())
    code, program = prove("train.py")
    assert (code, program["verdict"]) == (0, "fixed")
    assert program["before"]["failure"]["place"]["line"] == 10
    assert "same device" in program["before"]["failure"]["text"]
    assert [(each["by"], each["same"]) for each in program["comparisons"]] == [("printed numbers", True)] * 2
    assert [program[run]["steps"] for run in ("after", "reference", "before_on_cpu")] == [3, 3, 3]
    assert state(Path()) == before


def test_a_program_that_does_not_end() -> None:
    Path("train.py").write_text(WAITING)
    code, program = prove("train.py", "--timeout", "8")
    assert (code, program["verdict"]) == (1, "cannot-run")
    assert program["reason"] == "it did not end in time (8 s)"
