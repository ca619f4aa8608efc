"""What became of findings when fixes were made: all that is gone is counted, in the lines that the files had."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import text_program
from typer.testing import CliRunner

from devfix.cli import app
from devfix.config import Settings
from devfix.engine import Engine
from devfix.fates import Fates, fates
from devfix.findings import Applicability
from devfix.states import State

HEAD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randint(0, 2, (8,))), batch_size=4)
model = nn.Linear(4, 2).to(device)
"""
#: Its weight shows once the batch is moved.
UNCOVERS = (
    HEAD
    + """\
for batch, target in loader:
    print("step")
    scores = model(batch)
    loss = nn.CrossEntropyLoss(weight=torch.ones(2))(scores, target)
"""
)
#: What is moved for one of two findings is moved for the other.
SHARED = """\
import torch


class Mixup:
    def mixed(self, x, y):
        share = torch.rand(len(x), 1)
        seen = share * x
        return seen, share * y


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y = torch.ones(4, 2, device=device), torch.ones(4, 2, device=device)
print(Mixup().mixed(x, y))
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments, "--no-cache"], catch_exceptions=False)
    return result.stdout + result.stderr


def account(*arguments: str) -> dict[str, int]:
    """The counts of a command."""
    run(*arguments, "--output-format", "json", "-o", "account.json")
    summary: dict[str, int] = json.loads(Path("account.json").read_text(encoding="utf-8"))["summary"]
    return summary


@pytest.mark.parametrize("text", [UNCOVERS, SHARED])
def test_check_promises_what_apply_fixes_but_for_what_its_fixes_uncover(text: str) -> None:
    Path("main.py").write_text(text, encoding="utf-8")
    promised, done = account("check"), account("apply", "--diff")
    assert promised["findings"] == done["fixed"] - done["uncovered"] == 2
    assert done["findings"] == 0


def test_what_fixes_uncover_is_told_apart() -> None:
    Path("main.py").write_text(UNCOVERS, encoding="utf-8")
    assert "`devfix apply` fixes 2." in run("check")
    assert "Would fix 3 findings in 1 file, 1 of them uncovered by the other fixes." in run("apply", "--diff")


def test_what_another_fix_mends_is_counted_and_named() -> None:
    Path("main.py").write_text(SHARED, encoding="utf-8")
    assert "`devfix apply` fixes 2." in run("check")
    out = run("apply", "--show-fixes")
    assert out.startswith("Fixed 2 findings in 1 file.\n")
    assert "fixed with the others" in out


def test_what_was_uncovered_is_told_in_the_lines_that_the_file_had() -> None:
    Path("main.py").write_text(UNCOVERS, encoding="utf-8")
    out = run("apply", "--show-fixes")
    (line,) = (line for line in out.splitlines() if "DF105" in line)
    row = int(line.split(":")[0])
    assert "torch.ones(2)" in UNCOVERS.splitlines()[row - 1]
    assert "torch.ones(2" not in Path("main.py").read_text(encoding="utf-8").splitlines()[row - 1]


def test_files_that_others_are_mended_by_are_counted_apart() -> None:
    Path("net.py").write_text(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = torch.nn.Linear(4, 2)\n\n    def forward(self, x):\n        return self.layer(x)\n",
        encoding="utf-8",
    )
    text = HEAD.replace("nn.Linear(4, 2)", "Net()").replace(
        "import torch\n", "import torch\nfrom net import Net\n", 1
    )
    loop = "for batch, target in loader:\n    loss = nn.functional.cross_entropy(model(batch), target)\n"
    Path("main.py").write_text(text + loop, encoding="utf-8")
    assert "Found 2 findings in 2 files; `devfix apply` fixes 2." in run("check")
    assert run("apply") == "Fixed 2 findings in 2 files by changing 1 file.\n"


def test_what_remains_is_not_counted_as_fixed() -> None:
    unsafe = "print(torch.zeros(3, dtype=torch.float64) @ torch.nn.Linear(3, 3).weight)\n"
    Path("main.py").write_text(SHARED + unsafe, encoding="utf-8")
    assert "\nFixed 2 findings in 1 file; 1 finding remains.\n" in run("apply")


def test_what_was_taken_back_is_not_counted_as_fixed() -> None:
    program = text_program.program(SHARED)
    tool = Engine(text_program.rules(), Settings())
    start = State(program, tool.judge(program))
    first, _ = found = start.judgement.findings
    told = fates(start, replace(start, fixed=(first,), homes=(program,)), found)
    assert told == Fates((), (), ())
    mended = tool.end_of(start, Applicability.SAFE, None)
    assert fates(start, mended, found).fixed
