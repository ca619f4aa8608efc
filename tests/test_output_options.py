"""Where reports go, what exit codes tell, and counts: the options that the commands share."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from reported_programs import TRAIN
from typer.testing import CliRunner

from devfix.cli import app

FIXED = TRAIN.replace("(8, 4)", "(8, 4).to(device)").replace("ones(8, 2)", "ones(8, 2, device=device)")
#: Its fix is unsafe, and so are none of the others.
DOUBLES = """\
import torch

layer = torch.nn.Linear(4, 2)
print(layer(torch.zeros(3, 4, dtype=torch.float64)))
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DEVFIX_OUTPUT_FORMAT", "DEVFIX_OUTPUT_FILE"):
        monkeypatch.delenv(name, raising=False)
    Path("train.py").write_text(TRAIN, encoding="utf-8")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return result.exit_code, result.stdout_bytes.decode(), result.stderr


# ---- exit codes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check",), 1),
        (("check", "--exit-zero"), 0),
        (("apply", "--diff"), 1),
        (("apply", "--diff", "--exit-zero"), 0),
        (("apply",), 0),
        (("apply", "--exit-non-zero-on-fix"), 1),
        (("apply", "--exit-non-zero-on-fix", "--exit-zero"), 0),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int) -> None:
    assert run(*arguments)[0] == code


def test_a_second_apply_changes_nothing_and_exits_with_zero() -> None:
    assert run("apply", "--exit-non-zero-on-fix")[0] == 1
    assert Path("train.py").read_text(encoding="utf-8") == FIXED
    assert run("apply", "--exit-non-zero-on-fix")[0] == 0


@pytest.mark.parametrize("command", ["check", "apply"])
def test_errors_exit_with_2_whatever_is_asked(command: str) -> None:
    Path("broken.py").write_text("import torch\ndef f(:\n", encoding="utf-8")
    assert run(command, "--exit-zero")[0] == 2


def test_the_report_tells_the_exit_code_that_the_command_ends_with() -> None:
    code, out, _ = run("check", "--exit-zero", "--output-format", "json")
    assert (code, json.loads(out)["summary"]["exit_code"]) == (0, 0)


# ---- files of output


def test_a_report_goes_to_a_file_instead() -> None:
    Path("report.json").write_text("old", encoding="utf-8")
    code, out, err = run("check", "--output-format", "json", "--output-file", "report.json")
    assert (code, out, err) == (1, "", "")
    assert len(json.loads(Path("report.json").read_text(encoding="utf-8"))["files"][0]["findings"]) == 2


def test_a_report_in_a_file_has_no_colours_unless_asked_for() -> None:
    run("check", "-o", "report.txt")
    assert "\x1b" not in Path("report.txt").read_text(encoding="utf-8")
    run("check", "-o", "report.txt", "--color", "always")
    assert "\x1b" in Path("report.txt").read_text(encoding="utf-8")


def test_with_a_patch_the_report_goes_to_the_file() -> None:
    code, out, err = run("apply", "--diff", "-o", "report.txt")
    assert (code, err) == (1, "")
    assert out.startswith("--- a/train.py\n")
    assert Path("report.txt").read_text(encoding="utf-8").startswith("Would fix 2 findings")


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there are no devices here")
def test_a_device_stays_a_device() -> None:
    assert run("check", "-o", "/dev/null")[0] == 1
    assert not Path("/dev/null").is_file()


def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_changed() -> None:
    for file in ("no/such/folder.txt", "."):
        code, out, err = run("apply", "--output-file", file)
        assert (code, out) == (2, "")
        assert err.startswith(f"error: --output-file: {file} cannot be written")
    assert Path("train.py").read_text(encoding="utf-8") == TRAIN


def test_format_and_file_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVFIX_OUTPUT_FORMAT", "json-lines")
    monkeypatch.setenv("DEVFIX_OUTPUT_FILE", "report.jsonl")
    assert run("check")[1] == ""
    last = Path("report.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    assert json.loads(last)["findings"] == 2


# ---- counts, and what was fixed


def test_counts_by_rule() -> None:
    Path("doubles.py").write_text(DOUBLES, encoding="utf-8")
    code, out, _ = run("check", "--statistics")
    assert code == 1
    assert out == (
        "2\tDF102\t[*] operand-not-moved\n"
        "1\tDF501\t[!] float64-meets-float32\n"
        "[*] fixed by `devfix apply`\n"
        "[!] fixed by `devfix apply --unsafe`\n"
    )


def test_counts_by_rule_as_json() -> None:
    _, out, _ = run("check", "--statistics", "--output-format", "json")
    assert json.loads(out) == [
        {
            "code": "DF102",
            "name": "operand-not-moved",
            "count": 2,
            "fixable": True,
            "safe_fixes": 2,
            "unsafe_fixes": 0,
        }
    ]


def test_counts_have_no_other_formats() -> None:
    code, _, err = run("check", "--statistics", "--output-format", "sarif")
    assert (code, err) == (2, "error: --statistics is written as text, concise, json, not as sarif\n")


def test_counts_after_a_fix_are_of_what_remains() -> None:
    assert run("apply", "--statistics")[:2] == (0, "")


def test_what_was_fixed_can_be_listed() -> None:
    _, out, _ = run("apply", "--show-fixes")
    assert out == (
        "Fixed 2 findings in 1 file.\n"
        "- train.py\n"
        "    8:9 DF102 operand-not-moved: move `é` to the device of what it meets\n"
        "    8:24 DF102 operand-not-moved: move `mask` to the device of what it meets\n"
    )


def test_rules_as_json_have_one_entry_each() -> None:
    code, out, _ = run("rules", "--json")
    assert code == 0
    assert out == run("rules", "--output-format", "json")[1]
    entries = {entry["code"]: entry for entry in json.loads(out)}
    assert entries["DF109"]["default"] is False
    assert entries["DF201"]["family"] == "optimizers and checkpoints"
    assert entries["DF102"]["anchor"] == "df102-operand-not-moved"
    assert all(entry["page"].startswith(f"# {code} {entry['name']}\n") for code, entry in entries.items())
    assert all(entry["family"] and entry["since"] and entry["summary"] for entry in entries.values())
