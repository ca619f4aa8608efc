"""The commands end to end, on a toy analysis: output, streams, exit codes, files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import UNSAFE, ToyEditError, WordRule, identity, toy_edits
from typer.testing import CliRunner

from devfix import __version__, commands, engine
from devfix.cli import app
from devfix.engine import Rewriting
from devfix.registry import Loaded, Rule
from devfix.report.paint import paint_for

KNOWN: list[Rule] = [
    WordRule("DF101", "bad", "good"),
    WordRule("DF102", "worse", "better", UNSAFE),
    WordRule("DF103", "sad"),
    WordRule("DF109", "undecided", "decided", UNSAFE, name="no-device-chosen"),
]
CODE = "import torch\nbad\n"


@pytest.fixture(autouse=True)
def _toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands, "load", lambda: Loaded(tuple(KNOWN)))
    monkeypatch.setattr(engine, "_analyse", identity)
    monkeypatch.setattr(engine, "_rewriting", lambda: Rewriting(toy_edits, ToyEditError))


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin, catch_exceptions=False)
    return result.exit_code, result.stdout_bytes.decode(), result.stderr


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_version() -> None:
    assert run("--version") == (0, f"devfix {__version__}\n", "")


def test_what_a_command_leaves_is_not_looked_through_for_garbage_at_its_end() -> None:
    program = (
        "import atexit, gc\n"
        "atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 1000, len(gc.get_objects()) < 1000))\n"
        "from devfix.cli import main; main()"
    )
    command = [sys.executable, "-c", program, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"devfix {__version__}\nTrue True True\n"


@pytest.mark.parametrize(
    "arguments",
    [("--nonsense",), ("chekc",), ("check", "--color", "red"), ("check", "--jobs", "0"), ("explain",)],
)
def test_a_wrong_command_line_is_error_2(arguments: tuple[str, ...]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err


def test_a_file_that_is_called_like_an_option_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    write("-x.py", CODE)
    monkeypatch.setattr(sys, "argv", ["devfix", "check", "-x.py"])
    assert run("check", "-x.py")[2].endswith("error: No such option: -x; the file is `./-x.py`\n")
    assert run("check", "./-x.py")[0] == 1


# ---- check


@pytest.mark.parametrize(
    ("option", "instead"),
    [
        ("--fix", "`devfix apply`"),
        ("--diff", "`devfix apply --diff`"),
        ("--unsafe", "`devfix apply --unsafe`"),
        ("--adopt", "`devfix apply --adopt --diff`"),
    ],
)
def test_a_check_that_is_to_fix_is_sent_to_apply(option: str, instead: str) -> None:
    code, out, err = run("check", option, "train.py")
    assert (code, out) == (2, "")
    assert f"No such option: {option}; `check` fixes nothing, {instead} " in err


def test_behind_two_dashes_are_files() -> None:
    assert run("check", "--", "--fix")[2] == "error: --fix does not exist\n"


def test_check_reports_and_writes_nothing() -> None:
    path = write("a.py", CODE)
    code, out, err = run("check")
    assert (code, err) == (1, "")
    assert out == (
        """\
a.py:2:1: DF101 bad-found `bad` is on the CPU
  |
2 | bad
  | ^^^ on cpu
  |
  [safe fix] write good

Found 1 finding in 1 file; `devfix apply` fixes 1.
"""
    )
    assert path.read_text() == CODE


def test_check_of_clean_files_is_0() -> None:
    write("a.py", "x = 1\n")
    assert run("check", "a.py") == (0, "No findings in 1 file.\n", "")


def test_a_fault_is_2_whatever_else_there_is() -> None:
    write("a.py", CODE)
    code, out, err = run("check", "a.py", "missing.py")
    assert code == 2
    assert "DF101" in out
    assert err == "error: missing.py does not exist\n"


def test_a_folder_without_python_is_said() -> None:
    assert run("check") == (
        0,
        "No findings in 0 files.\n",
        "warning: there are no Python files or notebooks here\n",
    )


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ((), ["DF101", "DF102", "DF103"]),
        (("--select", "DF101,DF103"), ["DF101", "DF103"]),
        (("--select", "DF101", "--select", "sad-found"), ["DF101", "DF103"]),
        (("--ignore", "DF101"), ["DF102", "DF103"]),
        (("--exclude", "a.*"), []),
    ],
)
def test_rules_and_files_are_chosen(arguments: tuple[str, ...], codes: list[str]) -> None:
    write("a.py", "import torch\nbad\nworse\nsad\n")
    _, out, _ = run("check", "--output-format", "json", *arguments)
    findings = [finding for file in json.loads(out)["files"] for finding in file["findings"]]
    assert [finding["code"] for finding in findings] == codes


def test_an_unknown_rule_is_2() -> None:
    write("a.py", CODE)
    assert run("check", "--select", "bad-fond") == (
        2,
        "",
        "error: no rule is called `bad-fond`; did you mean `bad-found`?\n",
    )


def test_a_beginning_of_codes_is_no_rule() -> None:
    code, out, err = run("explain", "df1")
    assert (code, out) == (2, "")
    assert err.startswith("error: no rule is called `df1`; those that begin so are DF101, DF102")


def test_settings_come_from_the_project(tmp_path: Path) -> None:
    write("p/pyproject.toml", '[tool.devfix]\nignore = ["DF101"]\nexclude = ["old"]\n')
    write("p/a.py", CODE)
    write("p/old/a.py", "import torch\nsad\n")
    assert run("check", "p")[0] == 0
    assert run("check", "p/a.py")[0] == 0
    assert run("check", "p", "--no-config")[0] == 1
    assert run("check", "p", "--select", "DF101")[0] == 1
    assert run("check", "p", "--ignore", "DF102")[0] == 0
    assert run("check", "p", "--extend-select", "DF101")[0] == 1
    assert run("check", "p", "--isolated", "--config", "ignore = ['DF101']", "--exclude", "old")[0] == 0
    assert run("check", "p/old/a.py", "--force-exclude")[0] == 0
    other = write("other.toml", "[tool.devfix]\n")
    assert run("check", "p/a.py", "--config", str(other))[0] == 1
    assert run("check", "p", "--config", "x.toml", "--no-config")[0] == 2


@pytest.mark.parametrize(
    "text", ["[tool.devfix]\nselct = []\n", "[tool.devfix\n", "[tool.devfix]\nselect = 1\n"]
)
def test_broken_settings_are_2(text: str) -> None:
    write("a.py", CODE)
    write("pyproject.toml", text)
    code, out, err = run("check")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert "pyproject.toml" in err
    assert run("check", "--config", "missing.toml")[0] == 2


# ---- apply


def test_apply_writes_and_is_0_when_nothing_remains() -> None:
    path = write("a.py", CODE)
    assert run("apply") == (0, "Fixed 1 finding in 1 file.\n", "")
    assert path.read_text() == "import torch\ngood\n"
    assert run("apply") == (0, "Nothing to fix.\n", "")


def test_apply_is_1_when_something_remains() -> None:
    path = write("a.py", CODE + "worse\n")
    code, out, _ = run("apply", "--output-format", "concise")
    assert (code, path.read_text()) == (1, "import torch\ngood\nworse\n")
    assert out == (
        """\
a.py:3:1: DF102 worse-found `worse` is on the CPU [unsafe fix: --unsafe]
Fixed 1 finding in 1 file; 1 finding remains.
Not applied without --unsafe: 1 fix (1 DF102 worse-found).
"""
    )
    assert run("apply", "--unsafe")[0] == 0
    assert path.read_text() == "import torch\ngood\nbetter\n"


def test_a_device_is_adopted_on_request() -> None:
    path = write("a.py", "import torch\nundecided\n")
    assert run("apply")[0] == 0
    assert path.read_text() == "import torch\nundecided\n"
    assert run("apply", "--adopt")[0] == 0
    assert path.read_text() == "import torch\ndecided\n"


def test_diff_prints_a_patch_alone_and_writes_nothing() -> None:
    path = write("sub/a.py", CODE)
    code, out, err = run("apply", "--diff")
    assert (code, err) == (1, "Would fix 1 finding in 1 file.\n")
    assert out == "--- a/sub/a.py\n+++ b/sub/a.py\n@@ -1,2 +1,2 @@\n import torch\n-bad\n+good\n"
    assert path.read_text() == CODE
    subprocess.run(["git", "apply"], input=out.encode(), check=True)
    assert path.read_text() == "import torch\ngood\n"
    assert run("apply", "--diff") == (0, "", "Nothing to fix.\n")


def test_diff_is_1_when_only_findings_remain_and_2_on_a_fault() -> None:
    write("a.py", "import torch\nsad\n")
    assert run("apply", "--diff")[:2] == (1, "")
    assert run("apply", "--diff", "missing.py")[:2] == (2, "")


# ---- standard input


def test_apply_filters_standard_input() -> None:
    assert run("apply", "-", stdin=b"import torch\r\nbad\r\n") == (
        0,
        "import torch\r\ngood\r\n",
        "Fixed 1 finding in 1 file.\n",
    )


def test_standard_input_that_needs_nothing_comes_back() -> None:
    code, out, _ = run("apply", "-", stdin="import torch; é = 'sad'\n".encode())
    assert (code, out) == (1, "import torch; é = 'sad'\n")


def test_standard_input_that_does_not_parse_gives_nothing_back() -> None:
    code, out, err = run("apply", "-", stdin=b"def f(:\n")
    assert (code, out) == (2, "")
    sentence = "stdin.py:1:7: error: has a syntax error: invalid syntax\n"
    assert err.endswith(f"\n{sentence}  |\n1 | def f(:\n  |       ^\n  |\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--frobnicate"], "error: No such option: --frobnicate\n"),
        (["chek"], "error: No such command 'chek'."),
        (["check", "--jobs", "no\x1b"], "error: Invalid value for '--jobs' / '-j': 'no\\x1b' is not "),
        (["explain"], "error: Invalid value: give either a rule or --error FILE\n"),
        (["migrate", "run"], "error: Missing argument 'CAMPAIGN'.\n"),
    ],
)
def test_what_the_command_line_gets_wrong_is_told_as_other_errors_are(
    words: list[str], sentence: str
) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: devfix ")
    assert f"\n\n{sentence}" in err


@pytest.mark.parametrize(
    "options", [("--output-format", "concise"), ("--output-format", "json"), ("--statistics",)]
)
def test_a_line_that_does_not_parse_is_shown_where_findings_are_shown_with_theirs(
    options: tuple[str, ...],
) -> None:
    code, _, err = run("check", "-", *options, stdin=b"def f(:\n")
    assert (code, err) == (2, "stdin.py:1:7: error: has a syntax error: invalid syntax\n")


def test_standard_input_has_a_name_and_settings() -> None:
    write("p/pyproject.toml", '[tool.devfix]\nignore = ["DF101"]\n')
    assert run("check", "-", "--stdin-filename", "p/a.py", stdin=CODE.encode())[0] == 0
    code, out, _ = run("check", "-", "--stdin-filename", "q/a.py", stdin=CODE.encode())
    assert code == 1
    assert out.startswith("q/a.py:2:1: DF101")


def test_standard_input_as_a_patch() -> None:
    code, out, _ = run("apply", "-", "--diff", "--stdin-filename", "q/a.py", stdin=CODE.encode())
    assert code == 1
    assert out.startswith("--- a/q/a.py\n")


def test_standard_input_stands_alone() -> None:
    assert run("check", "-", "a.py")[0] == 2


# ---- colours


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("color", "environment", "coloured"),
    [
        ("auto", {}, True),
        ("auto", {"NO_COLOR": "1"}, False),
        ("auto", {"TERM": "dumb"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {}, False),
    ],
)
def test_when_colours_are_used(
    color: str, environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert paint_for(color, Terminal()).on is coloured
    assert paint_for(color, io.StringIO()).on is (color == "always")


# ---- rules and explain


def test_rules_are_listed() -> None:
    code, out, _ = run("rules")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["DF101", "bad-found"],
        ["DF102", "worse-found"],
        ["DF103", "sad-found"],
        ["DF109", "no-device-chosen"],
        ["DF901", "unused-suppression"],
    ]
    entries = json.loads(run("rules", "--output-format", "json")[1])
    assert entries[-1] == {
        "code": "DF901",
        "name": "unused-suppression",
        "family": "devfix itself",
        "applicability": "safe",
        "default": True,
        "since": "0.1.0",
        "anchor": "df901-unused-suppression",
        "page": entries[-1]["page"],
        "summary": "A suppressing comment that suppresses nothing hides the next fault on its line.",
    }


@pytest.mark.parametrize("name", ["DF901", "df901", "unused-suppression"])
def test_a_rule_is_explained(name: str) -> None:
    code, out, _ = run("explain", name)
    assert code == 0
    assert out.startswith("DF901 unused-suppression (safe fix)\n===")
    assert "The fix takes the comment away" in out


def test_an_unknown_rule_cannot_be_explained() -> None:
    assert run("explain", "unused-supression") == (
        2,
        "",
        "error: no rule is called `unused-supression`; did you mean `unused-suppression`?\n",
    )


# ---- the real command


def imported_for(*words: str) -> tuple[set[str], str]:
    """The modules that are there when a command has ended, and what it printed."""
    probe = (
        "import sys, devfix.cli as c\n"
        f"try: c.app({list(words)!r})\n"
        "except SystemExit: pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, env=environment
    )
    return set(done.stderr.splitlines()), done.stdout


def test_help_imports_nothing_heavy() -> None:
    heavy = {"libcst", "torch", "rich", "devfix.runner", "devfix.engine", "concurrent.futures"}
    imported, shown = imported_for("check", "--help")
    assert heavy & imported == set()
    assert "--output-format" in shown


def test_a_run_waits_for_no_analysis_to_be_imported() -> None:
    heavy = {"libcst", "torch", "devfix.commands", "devfix.engine", "devfix.analysis"}
    imported, _ = imported_for("run", "not_there.py")
    assert "devfix.running.command" in imported
    assert heavy & imported == set()
