"""The GitHub Action: what it says of itself, and its scripts, run by bash as a runner would."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTS = {step["name"]: step for step in STEPS if "run" in step}

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")

FAULTY = "import torch\n\nprint(torch.ones(2, device='cuda') + torch.ones(2))\n"
#: A program in the place of devfix that writes down what it is called with.
ECHO = """\
#!{python}
import json, os, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + chr(10))
sys.exit(int(os.environ.get("ENDS_WITH", "0")))
"""
#: A Python whose virtual environments hold a Python that does the same.
PYTHON = """\
#!{python}
import os, shutil, sys
if sys.argv[1:4] == ["-I", "-m", "venv"]:
    os.makedirs(sys.argv[4] + "/bin")
    shutil.copy(os.environ["ECHO"], sys.argv[4] + "/bin/python")
"""


@dataclass
class Runner:
    """A runner's folder, and the variables that it gives to each step."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def program(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text.replace("{python}", sys.executable))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def run(self, step: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the script of a step as ``shell: bash`` does."""
        wanted = set(SCRIPTS[step]["env"])
        assert wanted <= set(variables), "each variable of the step is given"
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{ROOT}:{ROOT / 'codemods'}",
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "CALLS": str(self.folder / "calls"),
            **variables,
        }
        script = self.folder / "script.sh"
        script.write_text(SCRIPTS[step]["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        return subprocess.run(
            command, cwd=self.folder / "work", env=environment, capture_output=True, text=True, check=False
        )

    def check(self, **variables: str) -> subprocess.CompletedProcess[str]:
        usual = {"PYTHON": sys.executable, "PATHS": ".", "ARGS": "", "FORMAT": "github", "SARIF": "false"}
        return self.run("Check", **{**usual, **variables})

    def outputs(self) -> dict[str, str]:
        lines = (self.folder / "output").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    (tmp_path / "work").mkdir()
    return Runner(tmp_path)


def test_every_input_is_explained_and_used() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    for name, entry in ACTION["inputs"].items():
        assert entry["description"]
        assert isinstance(entry["default"], str), "what is not given is a text all the same"
        assert f"${{{{ inputs.{name} }}}}" in text


def test_what_others_wrote_is_pinned() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert len(used) == 2
    assert all(re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", each) for each in used)


def test_no_input_is_a_part_of_a_script() -> None:
    assert SCRIPTS
    for step in SCRIPTS.values():
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


def test_no_module_of_the_repository_is_imported() -> None:
    calls = [
        call
        for step in SCRIPTS.values()
        for call in re.findall(r'^ *"\$(?:PYTHON|bin/python)".*', step["run"], re.MULTILINE)
    ]
    assert len(calls) == 3
    assert all('" -I ' in call for call in calls)


def test_steps_refer_to_steps_before_them() -> None:
    known: set[str] = set()
    for step in STEPS:
        assert set(re.findall(r"steps\.(\w+)\.", json.dumps(step))) <= known
        known.add(step.get("id", ""))
    assert set(re.findall(r"steps\.(\w+)\.", json.dumps(ACTION["outputs"]))) <= known


@needs_bash
@pytest.mark.parametrize(("version", "what"), [("", str(ROOT)), ("0.1.0", "devfix==0.1.0")])
def test_it_is_installed_into_an_environment_of_its_own(runner: Runner, version: str, what: str) -> None:
    python, echo = runner.program("python", PYTHON), runner.program("echo", ECHO)
    done = runner.run("Install devfix", PYTHON=python, VERSION=version, ECHO=echo)
    assert done.returncode == 0, done.stderr
    assert runner.calls() == [["-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what]]
    made = runner.folder / "devfix" / "bin"
    assert runner.outputs() == {"devfix": f"{made}/devfix", "python": f"{made}/python"}


@needs_bash
@pytest.mark.parametrize("version", ["1; touch pwned", "$(touch pwned)", "1 --index-url=x", "1\ntouch pwned"])
def test_a_version_is_a_version(runner: Runner, version: str) -> None:
    done = runner.run("Install devfix", PYTHON=runner.program("python", PYTHON), VERSION=version)
    assert done.returncode == 2
    assert "::error" in done.stdout
    assert not list(runner.folder.rglob("pwned"))


@needs_bash
def test_inputs_are_handed_over_word_by_word_and_nothing_is_run(runner: Runner) -> None:
    done = runner.check(
        DEVFIX=runner.program("devfix", ECHO),
        PATHS="a b.py\n\n$(touch pwned)\n`touch pwned`\n*\n-x; touch pwned",
        ARGS="--select DF1 --exclude 'third party/**' \"$(touch pwned)\" `touch $HOME` ; *",
        FORMAT="text; touch pwned",
    )
    assert done.returncode == 0, done.stderr
    options = [
        "--select",
        "DF1",
        "--exclude",
        "third party/**",
        "$(touch pwned)",
        "`touch",
        "$HOME`",
        ";",
        "*",
    ]
    targets = ["a b.py", "$(touch pwned)", "`touch pwned`", "*", "-x; touch pwned"]
    assert runner.calls() == [["check", *options, "--output-format", "text; touch pwned", "--", *targets]]
    assert not list(runner.folder.rglob("pwned"))


@needs_bash
def test_a_quote_that_does_not_end_is_an_error(runner: Runner) -> None:
    done = runner.check(DEVFIX=runner.program("devfix", ECHO), ARGS="--select 'DF1")
    assert done.returncode != 0
    assert not (runner.folder / "calls").exists()


@needs_bash
def test_the_real_devfix_finds_and_writes_sarif(runner: Runner) -> None:
    (runner.folder / "work" / "main.py").write_text(FAULTY)
    devfix = runner.program("devfix", f'#!/bin/sh\nexec {sys.executable} -m devfix "$@"\n')
    done = runner.check(DEVFIX=devfix, SARIF="true", ARGS="--select DF1")
    assert done.returncode == 0, done.stderr
    assert "::error" in done.stdout or "::warning" in done.stdout
    outputs = runner.outputs()
    assert outputs["exit-code"] == "1"
    document = json.loads(Path(outputs["sarif-file"]).read_text())
    assert [result["ruleId"] for result in document["runs"][0]["results"]] == ["DF102"]


@needs_bash
def test_after_an_error_there_is_no_sarif(runner: Runner) -> None:
    runner.check(DEVFIX=runner.program("devfix", ECHO), SARIF="true", ENDS_WITH="2")
    assert runner.outputs() == {"exit-code": "2"}


@needs_bash
@pytest.mark.parametrize(
    ("code", "fail", "ends"),
    [("0", "true", 0), ("1", "true", 1), ("1", "false", 0), ("2", "false", 2)],
)
def test_findings_fail_the_job_where_they_should_and_errors_always_do(
    runner: Runner, code: str, fail: str, ends: int
) -> None:
    assert runner.run("Tell the outcome", CODE=code, FAIL=fail).returncode == ends
