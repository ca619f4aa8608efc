"""The pages on pre-commit, the GitHub Action, rule packs and the API say what is so."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from devfix.cli import app
from devfix.libcst_commands import rules

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", page(name), re.MULTILINE | re.DOTALL)
    return [
        "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))
        for indent, text in found
    ]


def test_the_sessions_of_the_api_page_are_what_python_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = blocks("api.md", "pycon")
    assert len(found) == 4
    session = doctest.DocTestParser().get_doctest("\n".join(found), {}, "api.md", "api.md", 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(session, out=said.append)
    assert not said, "".join(said)


def test_the_hooks_of_the_page_are_those_there_are() -> None:
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    there = {hook["id"] for hook in manifest}
    named = set(re.findall(r"- id: (\S+)", page("pre-commit.md")))
    assert named == there
    for text in blocks("pre-commit.md", "yaml"):
        yaml.safe_load(text)
    for hook in manifest:
        command = shlex.split(hook["entry"])
        done = CliRunner().invoke(app, [*command[1:], "--help"])
        assert (command[0], done.exit_code) == ("devfix", 0)
        assert hook["require_serial"]


def test_the_inputs_of_the_page_are_those_of_the_action() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    rows = dict(re.findall(r"^\| `([\w-]+)` \| `?([^|` ]*)`? ?\|", page("github-action.md"), re.MULTILINE))
    assert rows == {name: entry["default"] for name, entry in action["inputs"].items()}
    for text in blocks("github-action.md", "yaml"):
        workflow: dict[str, Any] = yaml.safe_load(text)
        (used,) = [each for each in workflow["jobs"]["devfix"]["steps"] if "devfix@" in each["uses"]]
        assert set(used["with"]) <= set(action["inputs"])


def test_the_commands_and_the_test_of_the_page_on_rule_packs_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    making = blocks("rule-packs.md", "sh")[0].splitlines()[0]
    assert CliRunner().invoke(app, shlex.split(making)[1:]).exit_code == 0
    monkeypatch.syspath_prepend(tmp_path / "acme-rules")
    (test,) = blocks("rule-packs.md", "python")
    exec(compile(test, "rule-packs.md", "exec"), {})


def test_the_libcst_commands_of_the_page_are_there() -> None:
    named = set(re.findall(r"\brules\.(?!Rule\b)([A-Z]\w+)", page("rule-packs.md")))
    assert named
    assert named <= set(rules.__all__)
