"""One word for one thing in all commands: what was called otherwise once is still understood, and no longer shown."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from reported_programs import TRAIN
from typer.testing import CliRunner

from devfix.cli import app
from devfix.cli.old_words import renewed
from devfix.cli.run import RunCommand


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DEVFIX_OUTPUT_FORMAT", "DEVFIX_OUTPUT_FILE"):
        monkeypatch.delenv(name, raising=False)
    Path("train.py").write_text(TRAIN, encoding="utf-8")
    Path("clean.py").write_text("import torch\n\nprint(torch.ones(2))\n", encoding="utf-8")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    "command", [("run",), ("prove",), ("migrate", "export"), ("migrate", "report"), ("check",), ("apply",)]
)
def test_what_is_written_where_is_called_the_same_everywhere(command: tuple[str, ...]) -> None:
    shown = run(*command, "--help")[1]
    assert "-o, --output-file FILE" in shown
    assert not any(
        word in shown for word in ("--output ", "--format ", "--max-seconds", "--max-total-seconds")
    )


@pytest.mark.parametrize("command", ["run", "prove", "apply"])
def test_how_long_a_run_may_take_is_called_the_same_everywhere(command: str) -> None:
    assert "--timeout SECONDS" in run(command, "--help")[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["--max-seconds", "5", "--output=r.json"], ["--timeout", "5", "--output-file=r.json"]),
        (["--max-total-seconds=9", "--format", "json"], ["--total-timeout=9", "--output-format", "json"]),
        (["--output-file", "x", "--timeout", "3"], ["--output-file", "x", "--timeout", "3"]),
    ],
)
def test_old_words_become_new_ones(old: list[str], new: list[str]) -> None:
    assert renewed(old, RunCommand.OLD) == new


def test_old_words_are_understood_and_those_of_the_program_stay_its_own() -> None:
    Path("shows.py").write_text("import sys\nprint(sys.argv[1:])\n", encoding="utf-8")
    options = ["--max-seconds", "60", "--format=json", "--output", "r.json"]
    own = ["--output", "mine", "--max-seconds=3"]
    words = [sys.executable, "-m", "devfix", "run", *options, "shows.py", *own]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, str(own)), done.stderr
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))


# ---- quiet


@pytest.mark.parametrize("output_format", ["text", "concise"])
@pytest.mark.parametrize("word", ["--quiet", "-q"])
def test_quiet_says_nothing_when_all_is_well(word: str, output_format: str) -> None:
    assert run("check", word, "--output-format", output_format, "clean.py") == (0, "", "")
    assert run("apply", word, "--output-format", output_format, "train.py") == (0, "", "")


@pytest.mark.parametrize("output_format", ["text", "concise"])
def test_quiet_shows_findings_and_no_summary(output_format: str) -> None:
    code, loud, _ = run("check", "--output-format", output_format)
    quiet = run("check", "-q", "--output-format", output_format)[1]
    assert code == 1
    assert quiet.count("DF102") == loud.count("DF102") > 0
    assert "Found" in loud
    assert loud.startswith(quiet.rstrip("\n"))
    assert "Found" not in quiet
    assert quiet.endswith("\n")
    assert not quiet.endswith("\n\n")


def test_quiet_leaves_the_patch_alone() -> None:
    loud, quiet = run("apply", "--diff"), run("apply", "--diff", "-q")
    assert (quiet[0], quiet[1], quiet[2]) == (1, loud[1], "")


def test_quiet_is_not_silent_about_errors() -> None:
    Path("broken.py").write_text("import torch\ndef f(:\n", encoding="utf-8")
    code, _, err = run("check", "-q")
    assert (code, "broken.py" in err) == (2, True)


def test_quiet_shows_the_fixes_that_were_asked_for() -> None:
    out = run("apply", "-q", "--show-fixes", "train.py")[1]
    assert out.startswith("- train.py\n")


@pytest.mark.parametrize("word", ["--quiet", "-q"])
def test_a_quiet_run_shows_what_the_program_prints_and_nothing_else(word: str) -> None:
    Path("shows.py").write_text("import sys\nprint('out')\nprint('err', file=sys.stderr)\n", encoding="utf-8")
    command = [sys.executable, "-m", "devfix", "run", word, "shows.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "out\n", "err\n")


def test_formats_for_programs_are_the_same() -> None:
    loud, quiet = (run("check", "--output-format", "json", *word)[1] for word in ((), ("-q",)))
    assert loud == quiet
