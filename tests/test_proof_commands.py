"""`devfix prove` and `devfix apply --prove` end to end, without torch: streams, exit codes, what is written."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes import ToyEditError, identity, toy_edits
from sandbox_children import state
from toy_proofs import LAUNCHER, RULES, WITNESS, write
from typer.testing import CliRunner

from devfix import commands, engine
from devfix.cli import app
from devfix.engine import Rewriting
from devfix.proof import inquiry, laboratory
from devfix.proof.witness import Witness, WitnessError
from devfix.registry import Loaded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are held within limits on POSIX")

pytest_plugins = ["preloaded"]

FAULTY, FIXED = "import torch\nprint('RESULT', bad(1.5))\n", "import torch\nprint('RESULT', good(1.5))\n"
HELPER = "import torch\ndef step(): return bad(2)\n"


@pytest.fixture(autouse=True)
def _toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ready: None) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands, "load", lambda: Loaded(tuple(RULES)))
    monkeypatch.setattr(engine, "_analyse", identity)
    monkeypatch.setattr(engine, "_rewriting", lambda: Rewriting(toy_edits, ToyEditError))
    monkeypatch.setattr(laboratory, "LAUNCHER", LAUNCHER)
    monkeypatch.setattr(inquiry, "find_witness", lambda _on, _python, _folder: WITNESS)


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def document(*arguments: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = run(*arguments, "--output-format", "json")
    return code, json.loads(out)


# ---- prove


def test_a_script_with_arguments() -> None:
    write(Path(), {"train.py": "import sys, torch\nprint('RESULT', bad(float(sys.argv[2])))\n"})
    before = state(Path())
    code, out, err = run("prove", "train.py", "--no-reference", "--", "--rate", "0.5")
    title, line, _, count = out.splitlines()
    assert code == 0
    assert title.split() == [
        "verdict",
        "program",
        "before",
        "after",
        "on",
        "the",
        "CPU",
        "seconds",
        "witness",
    ]
    assert line.startswith(
        "fixed    train.py --rate 0.5  RuntimeError: Expected all tensors to be on the same"
    )
    assert "(train.py:2)  RESULT 0.5  -" in line
    assert line.endswith("simulator")
    assert count == "1 program: 1 fixed."
    assert "devfix runs your code: 1 program" in err
    assert "on the simulator (there is no GPU here)" in err
    assert "error" not in err
    assert state(Path()) == before


def test_a_folder_stands_for_its_programs() -> None:
    texts = {
        "a.py": FAULTY,
        "b.py": "import torch\nraise KeyError('mine')\n",
        "helper.py": HELPER,
        "c.py": "from helper import step\nif __name__ == '__main__':\n    print('RESULT', step())\n",
        "no_tensors.py": "print(bad())\n",
        "test_a.py": FAULTY,
        "package/__init__.py": "",
        "package/tool.py": "from .part import part\nprint('RESULT', part())\n",
        "package/part.py": "import torch\ndef part(): return 3\n",
    }
    write(Path(), texts)
    code, found = document("prove", ".", "-j", "2")
    verdicts = {program["program"]: program["verdict"] for program in found["programs"]}
    assert verdicts == {"a.py": "fixed", "b.py": "cannot-run", "c.py": "fixed", "package/tool.py": "was-fine"}
    assert code == found["summary"]["exit_code"] == 1
    assert (found["summary"]["programs"], found["summary"]["proven"]) == (4, 3)
    assert found["witness"]["name"] == "simulator"
    (program,) = [program for program in found["programs"] if program["program"] == "c.py"]
    assert program["changes"] == {"files": ["helper.py"], "findings": 1, "safe": True}
    assert program["before"]["failure"]["place"]["file"] == str(Path("helper.py").resolve())
    assert program["after"]["results"] == program["reference"]["results"] == ["2"]
    assert program["before_on_cpu"]["finished"] is True
    assert [each["same"] for each in program["comparisons"]] == [True, True]


def test_what_is_not_proven_says_why_below_its_line() -> None:
    write(Path(), {"train.py": "import torch\nraise KeyError('mine')\n"})
    code, out, _ = run("prove", "train.py")
    assert code == 1
    assert out.splitlines()[2] == "    KeyError: 'mine' (train.py:2)"


def test_a_file_that_cannot_be_read_is_an_error() -> None:
    write(Path(), {"train.py": FAULTY, "broken.py": "import torch\ndef (:\n"})
    code, _, err = run("prove", ".", "--no-reference")
    assert code == 2
    assert "error: broken.py has a syntax error in line 2" in err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("nowhere.py",), "nowhere.py does not exist"),
        (("notes.txt",), "notes.txt is not a Python file"),
        (("empty",), "empty holds no program that uses torch"),
        (("train.py", "--select", "nonsense"), "nonsense"),
    ],
)
def test_what_makes_no_sense_is_an_error(arguments: tuple[str, ...], text: str) -> None:
    write(Path(), {"train.py": FAULTY, "notes.txt": "", "empty/a.py": "x = 1\n"})
    code, out, err = run("prove", *arguments)
    assert (code, out) == (2, "")
    assert text in err


def test_without_torch_nothing_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_on: str, _python: str | None, _folder: Path) -> Witness:
        raise WitnessError("torch is not installed")

    monkeypatch.setattr(inquiry, "find_witness", none)
    write(Path(), {"train.py": FAULTY})
    assert run("prove", "train.py") == (2, "", "error: torch is not installed\n")


# ---- prove a corpus

# Without an import of torch: nothing is rewritten here.
DIES, RUNS = "\nprint('RESULT', bad(1.5))\n", "\nprint('RESULT', good(1.5))\n"
CASE = 'kind = "{kind}"\nerror = "{error}"\nentry = "main.py"\nflags = []\n'


def test_a_corpus() -> None:
    failing, fine = CASE.format(kind="device", error="same device"), CASE.format(kind="ok", error="")
    other = CASE.format(kind="device", error="another error")
    texts = {
        "repaired/one/case.toml": failing,
        "repaired/one/before.py": DIES,
        "repaired/one/after.py": RUNS,
        "repaired/two/case.toml": failing,
        "repaired/two/before/main.py": "import part\nprint('RESULT', part.value())\n",
        "repaired/two/before/part.py": "def value(): return bad(2)\n",
        "repaired/two/after/main.py": "import part\nprint('RESULT', part.value())\n",
        "repaired/two/after/part.py": "def value(): return good(2)\n",
        "right/one/case.toml": fine,
        "right/one/before.py": RUNS,
        "wrong/fails/case.toml": fine,
        "wrong/fails/before.py": DIES,
        "wrong/no-result/case.toml": failing,
        "wrong/no-result/before.py": "bad(); print('RESULT none')\n",
        "wrong/no-result/after.py": "print('RESULT none')\n",
        "wrong/otherwise/case.toml": other,
        "wrong/otherwise/before.py": DIES,
        "wrong/otherwise/after.py": RUNS,
        "wrong/runs/case.toml": failing,
        "wrong/runs/before.py": RUNS,
        "wrong/runs/after.py": RUNS,
    }
    write(Path("corpus"), texts)
    before = state(Path("corpus"))
    code, found = document("prove", "corpus")
    seen = {
        each["program"]: (each["verdict"], each["expected"], each["reason"]) for each in found["programs"]
    }
    words = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (main.py:2)"
    assert seen == {
        "repaired/one": ("fixed", True, ""),
        "repaired/two": ("fixed", True, ""),
        "right/one": ("was-fine", True, ""),
        "wrong/fails": ("still-fails", False, f"it was to run, and fails: {words}"),
        "wrong/no-result": ("fixed", False, "it ends without a finite RESULT"),
        "wrong/otherwise": ("fixed", False, "it was to fail with `another error`"),
        "wrong/runs": ("was-fine", False, "it was to fail, and runs"),
    }
    assert code == 1
    assert state(Path("corpus")) == before


def test_cases_without_an_announcement() -> None:
    write(Path("pairs"), {"one/before.py": DIES, "one/after.py": RUNS})
    code, out, _ = run("prove", "pairs", "--no-reference")
    assert code == 0
    assert out.splitlines()[1].startswith("fixed    one")


def test_a_case_that_makes_no_sense_is_an_error() -> None:
    write(Path("pairs"), {"one/before.py": DIES, "one/case.toml": "kind = "})
    code, _, err = run("prove", "pairs")
    assert code == 2
    assert "case.toml" in err


def test_the_report_goes_to_a_file_instead() -> None:
    write(Path(), {"train.py": FAULTY})
    loud = run("prove", "train.py")[1]
    code, out, _ = run("prove", "train.py", "-o", "proof.txt", "--output-format", "json")
    assert (code, out) == (0, "")
    assert '"verdict": "fixed"' in Path("proof.txt").read_text(encoding="utf-8")
    assert "1 program: 1 fixed." in loud


def test_a_report_that_cannot_be_written_is_an_error_before_anything_is_run() -> None:
    write(Path(), {"train.py": FAULTY})
    code, out, err = run("prove", "train.py", "--output-file", "no/such/folder.txt")
    assert (code, out) == (2, "")
    assert err.startswith("error: --output-file: ")


# ---- apply --prove


def test_what_is_proven_is_written() -> None:
    write(Path(), {"train.py": FAULTY, "other.py": FAULTY})
    code, out, _ = run("apply", "--prove", "train.py")
    assert code == 0
    assert Path("train.py").read_text() == FIXED
    assert Path("other.py").read_text() == FAULTY
    assert out.endswith("1 program: 1 fixed.\nFixed 1 finding in 1 file.\n")


def test_what_is_not_proven_is_not_written() -> None:
    program = "import torch\nprint('RESULT', bad(odd(1)))\n"
    write(Path(), {"train.py": program})
    code, out, _ = run("apply", "--prove", "train.py --rate '0.5'")
    assert code == 1
    assert Path("train.py").read_text() == program
    assert "changed-result  train.py --rate 0.5" in out
    assert "not written, since it is not proven: train.py\n" in out
    assert "train.py:2:17: DF101 bad-found" in out
    assert "nothing is written" not in out


def test_a_shared_file_ties_programs_together() -> None:
    texts = {
        "helper.py": HELPER,
        "right.py": "import torch, helper\nprint('RESULT', helper.step(), bad(1))\n",
        "wrong.py": "import torch, helper\nhelper.step()\nraise KeyError('mine')\n",
        "alone.py": FAULTY,
        "unused.py": HELPER,
    }
    write(Path(), texts)
    before = state(Path())
    code, found = document("apply", ".", "--prove", "right.py", "--prove", "wrong.py", "--prove", "alone.py")
    assert code == 1
    assert Path("alone.py").read_text() == FIXED
    assert {name for name, entry in state(Path()).items() if entry != before[name]} == {"alone.py"}
    assert found["proof"]["held_back"] == ["helper.py", "right.py", "unused.py"]
    assert found["summary"]["changed_files"] == 1
    assert found["summary"]["exit_code"] == 1


def test_a_module_that_only_the_run_finds_belongs_to_the_program() -> None:
    loader = "import importlib, torch\nprint('RESULT', importlib.import_module('hel' + 'per').step())\n"
    write(Path(), {"train.py": loader, "helper.py": HELPER})
    code, _, _ = run("apply", ".", "--prove", "train.py")
    assert code == 0
    assert "good(2)" in Path("helper.py").read_text()


def test_a_folder_of_programs() -> None:
    write(Path(), {"a.py": FAULTY, "b.py": FAULTY})
    assert run("apply", "--prove", ".")[0] == 0
    assert [Path(name).read_text() for name in ("a.py", "b.py")] == [FIXED, FIXED]


def test_a_patch_holds_what_is_proven_and_nothing_is_written() -> None:
    write(Path(), {"train.py": FAULTY})
    before = state(Path())
    code, out, err = run("apply", "--diff", "--prove", "train.py")
    assert code == 1
    assert "+print('RESULT', good(1.5))" in out
    assert out.startswith("--- ")
    assert "1 program: 1 fixed." in err
    assert state(Path()) == before


def test_what_is_known_is_neither_written_nor_told() -> None:
    write(Path(), {"train.py": FAULTY, "old.py": FAULTY})
    assert run("check", "--write-baseline", "old.py")[0] == 0
    write(Path(), {"devfix.toml": 'baseline = "devfix-baseline.json"\n'})
    code, out, err = run("apply", ".", "--prove", "train.py", "--prove", "old.py")
    assert code == 1  # old.py still fails
    assert [Path(name).read_text() for name in ("train.py", "old.py")] == [FIXED, FAULTY]
    assert out.endswith("Fixed 1 finding in 1 file.\n")
    assert "1 known finding is left out (devfix-baseline.json)\n" in err
    code, out, _ = run("apply", ".", "--prove", "old.py", "--no-baseline")
    assert (code, Path("old.py").read_text()) == (0, FIXED)


def test_a_program_that_needs_what_is_known_is_not_proven() -> None:
    write(Path(), {"train.py": FAULTY})
    assert run("check", "--write-baseline", "train.py")[0] == 0
    new = FAULTY.replace("print", "x = bad(2)\nprint")
    write(Path(), {"train.py": new})
    code, out, _ = run("apply", "--prove", "train.py", "--baseline", "devfix-baseline.json")
    assert (code, Path("train.py").read_text()) == (1, new)
    assert "not written, since it is not proven: train.py\n" in out
    assert "train.py:2:5: DF101 bad-found" in out
    assert "train.py:3:" not in out


def test_a_baseline_that_cannot_be_read_proves_nothing() -> None:
    write(Path(), {"train.py": FAULTY, "devfix-baseline.json": "[]"})
    code, out, err = run("apply", "--prove", "train.py", "--baseline", "devfix-baseline.json")
    assert (code, out, Path("train.py").read_text()) == (2, "", FAULTY)
    assert "devfix-baseline.json" in err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--prove", "'"), "cannot be read as a command"),
        (("--prove", " "), "--prove needs a script"),
        (("-", "--prove", "train.py"), "cannot be proven"),
    ],
)
def test_an_application_that_makes_no_sense(words: tuple[str, ...], text: str) -> None:
    code, out, err = run("apply", *words)
    assert (code, out) == (2, "")
    assert text in err
