"""Fixes that are asked about one by one, at a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import reported_programs as programs
from reported_programs import TRAIN

from devfix.engine import Engine
from devfix.findings import Applicability
from devfix.interview import AskingEngine, Interview
from devfix.runner import Task, run_paths

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals here", allow_module_level=True)

import terminal as terminals

PROMPT = "[y,n,a,q,?] "
MASK = TRAIN.replace("ones(8, 2)", "ones(8, 2, device=device)")
INPUT = TRAIN.replace("(8, 4)", "(8, 4).to(device)")
BOTH = INPUT.replace("ones(8, 2)", "ones(8, 2, device=device)")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1", "PYTHONUTF8": "1"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


@contextmanager
def asking(folder: Path, *options: str) -> Iterator[terminals.Terminal]:
    command = [sys.executable, "-m", "devfix", "apply", "-i", *options]
    with terminals.at_terminal(command, folder, ENVIRONMENT) as terminal:
        yield terminal


def text(folder: Path) -> str:
    return (folder / "train.py").read_text(encoding="utf-8")


# ---- at a terminal


def test_each_fix_is_shown_and_asked_about_before_anything_is_written(folder: Path) -> None:
    with asking(folder) as terminal:
        shown = terminal.until(PROMPT)
        assert shown == (
            "train.py:8:9: DF102 operand-not-moved `é` is on the CPU and meets the parameters of `modèle`"
            " on the accelerator\n"
            "  [safe fix] move `é` to the device of what it meets\n"
            "--- train.py\n"
            "@@ -5,4 +5,4 @@\n"
            " mask = torch.ones(8, 2)\n"
            " for step in range(3):\n"
            "-    é = torch.randn(8, 4)\n"
            "+    é = torch.randn(8, 4).to(device)\n"
            "     y = modèle(é); z = y * mask\n"
            f"Make this fix? {PROMPT}"
        )
        terminal.type("n\n")
        assert "+mask = torch.ones(8, 2, device=device)\n" in terminal.until(PROMPT)
        terminal.type("?\n")
        assert "a - make it, and all others of this rule\n" in terminal.until(PROMPT)
        assert text(folder) == TRAIN
        terminal.type("y\n")
        code, rest = terminal.rest()
    assert text(folder) == MASK
    assert code == 1
    assert "Fixed 1 finding in 1 file; 1 finding remains." in rest


@pytest.mark.parametrize(
    ("typed", "after", "code"),
    [
        (["y", "y"], BOTH, 0),
        (["a"], BOTH, 0),
        (["y", "q"], INPUT, 1),
        (["q"], TRAIN, 1),
        (["\x04"], TRAIN, 1),
        (["nonsense", "yes", "No"], INPUT, 1),
    ],
)
def test_answers(folder: Path, typed: list[str], after: str, code: int) -> None:
    with asking(folder) as terminal:
        for word in typed:
            terminal.until(PROMPT)
            terminal.type(word if word == "\x04" else word + "\n")
        assert terminal.rest()[0] == code
    assert text(folder) == after


def test_an_interrupt_writes_nothing(folder: Path) -> None:
    with asking(folder) as terminal:
        terminal.until(PROMPT)
        terminal.type("y\n")
        terminal.until(PROMPT)
        terminal.type("\x03")
        code, rest = terminal.rest()
    assert code == 2
    assert "error: interrupted; nothing was written" in rest
    assert text(folder) == TRAIN


def test_a_report_for_programs_goes_to_its_file(folder: Path) -> None:
    with asking(folder, "--output-format", "json", "-o", "report.json") as terminal:
        terminal.until(PROMPT)
        terminal.type("a\n")
        assert terminal.rest()[0] == 0
    assert '"fixed": 2' in (folder / "report.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("options", [(), ("--diff",), ("-",), ("--prove", "train.py")])
def test_without_a_terminal_it_is_an_error(folder: Path, options: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "devfix", "apply", "--interactive", *options],
        cwd=folder,
        input="y\ny\n",
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "--interactive" in done.stderr
    assert text(folder) == TRAIN


# ---- what is asked, and what comes of it


def interviewed(*answers: str) -> tuple[list[str], AskingEngine]:
    """What is shown, and an engine that asks somebody who gives these answers and ends then."""
    left, shown = list(answers), list[str]()

    def ask(_prompt: str) -> str:
        return left.pop(0) if left else "q"

    return shown, AskingEngine.of(programs.engine(), Interview(ask, shown.append))


def applied(engine: Engine, *files: str) -> dict[str, str]:
    run_paths([Path(file) for file in files], engine, Task(Applicability.UNSAFE, write=True), jobs=1)
    return {file: Path(file).read_text(encoding="utf-8") for file in files}


def test_all_yes_is_what_apply_writes_also_where_fixes_show_new_findings() -> None:
    hidden = TRAIN + "w = torch.zeros(2)\nfor _ in range(2):\n    z = (y + w) * mask\n"
    for name in ("asked.py", "unasked.py"):
        Path(name).write_text(hidden, encoding="utf-8")
    _, engine = interviewed(*["y"] * 20)
    assert applied(engine, "asked.py")["asked.py"] == applied(programs.engine(), "unasked.py")["unasked.py"]


WEIGHTED = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(10, 2).to(device)
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 4.0]))
data = torch.utils.data.TensorDataset(torch.randn(64, 10), torch.randint(0, 2, (64,)))
for x, y in torch.utils.data.DataLoader(data, batch_size=8):
    loss = criterion(model(x), y)
"""
WEIGHT = "tensor([1.0, 4.0], device=device)"


def weighted(*answers: str) -> tuple[str, str]:
    """What is shown, and what becomes of a program in which one fix shows another fault."""
    Path("train.py").write_text(WEIGHTED, encoding="utf-8")
    shown, engine = interviewed(*answers)
    after = applied(engine, "train.py")["train.py"]
    return "".join(shown), after


def test_what_a_fix_shows_is_asked_about_before_another_way_is_taken() -> None:
    shown, after = weighted("y", "y", "y")
    Path("unasked.py").write_text(WEIGHTED, encoding="utf-8")
    assert after == applied(programs.engine(), "unasked.py")["unasked.py"]
    assert WEIGHT in after
    assert shown.count("--- train.py\n") == 3
    assert f"+criterion = nn.CrossEntropyLoss(weight=torch.{WEIGHT})\n" in shown


def test_one_yes_and_what_comes_of_it() -> None:
    _, after = weighted("y", "n", "y")
    assert WEIGHT in after
    assert "    y = y.to(device)\n" in after
    assert "x.to(device)" not in after


@pytest.mark.parametrize(
    "answers", [("y", "y", "n", "n"), ("y", "n", "n", "n"), ("y", "y", "q"), ("y", "n", "n", "q")]
)
def test_nothing_is_written_that_was_not_shown(answers: tuple[str, ...]) -> None:
    shown, after = weighted(*answers)
    written = set(after.splitlines()) - set(WEIGHTED.splitlines())
    assert all(f"+{line}\n" in shown for line in written)
    assert "y.device" not in after
    assert WEIGHT not in after


def test_another_way_is_shown_before_it_is_taken() -> None:
    shown, after = weighted("y", "n", "n", "y")
    assert "+    loss = criterion(model(x).to(y.device), y)\n" in shown
    assert "    loss = criterion(model(x).to(y.device), y)\n" in after


def test_two_alike_findings_are_asked_about_one_by_one() -> None:
    twice = "y = modèle(torch.ones(8, 4))\n"
    start = "".join(TRAIN.splitlines(keepends=True)[:4]) + twice * 2
    Path("train.py").write_text(start, encoding="utf-8")
    _, engine = interviewed("n", "y")
    lines = applied(engine, "train.py")["train.py"].splitlines(keepends=True)
    assert lines[4] == twice
    assert lines[5] == "y = modèle(torch.ones(8, 4, device=device))\n"


def test_all_of_a_rule_holds_for_other_files() -> None:
    Path("other.py").write_text(TRAIN, encoding="utf-8")
    shown, engine = interviewed("a")
    assert set(applied(engine, "other.py", "train.py").values()) == {BOTH}
    assert sum("DF102" in each for each in shown) == 1


def test_questions_come_in_the_order_of_paths() -> None:
    for name, more in (("a.py", 0), ("z.py", 50)):
        Path(name).write_text(TRAIN + "print(y)\n" * more, encoding="utf-8")
    shown, engine = interviewed(*["n"] * 6)
    task = Task(Applicability.UNSAFE, in_order=True)
    run_paths([Path("z.py"), Path("train.py"), Path("a.py")], engine, task, jobs=1)
    asked = [each.partition(":")[0] for each in shown if "DF1" in each]
    assert asked == ["a.py", "a.py", "train.py", "train.py", "z.py", "z.py"]


def test_cells_are_shown_as_they_read() -> None:
    Path("repository").mkdir()
    programs.write(Path("repository"))
    shown, engine = interviewed("y")
    run_paths([Path("repository/nb.ipynb")], engine, Task(Applicability.SAFE, write=True), jobs=1)
    told = "".join(shown)
    assert "--- repository/nb.ipynb:cell 2\n" in told
    assert "+x = torch.randn(8, 4).to(device)\n" in told
    assert "\\n" not in told
    assert "randn(8, 4).to(device)" in Path("repository/nb.ipynb").read_text(encoding="utf-8")


def test_the_sample_in_the_documentation_is_what_is_shown(folder: Path) -> None:
    page = (Path(__file__).parent.parent / "docs" / "output.md").read_text(encoding="utf-8")
    program = page.partition("```python\n")[2].partition("```")[0]
    (folder / "train.py").write_text(program, encoding="utf-8")
    sample = page.partition("$ devfix apply -i train.py\n")[2].partition("\n```")[0]
    with asking(folder) as terminal:
        assert terminal.until(PROMPT).rstrip() == sample
