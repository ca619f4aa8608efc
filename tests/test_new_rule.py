"""``devfix new-rule``: what it makes works at once, and it overwrites nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from documented_project import WITHOUT_PLUGINS
from typer.testing import CliRunner, Result

from devfix.cli import app

ROOT = Path(__file__).parents[1]
#: What pip says where there is no package index to take a build tool from.
NO_INDEX = ("No matching distribution found", "Could not fetch URL", "Failed to establish a new connection")
RUFF = "--isolated --line-length 110 ."


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def new_rule(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["new-rule", *arguments])


def files() -> dict[str, str]:
    return {str(path): path.read_text() for path in sorted(Path().rglob("*")) if path.is_file()}


def run(*command: str, folder: Path | str = ".") -> str:
    paths = f"{ROOT}{os.pathsep}{ROOT / 'codemods'}"
    environment = {**os.environ, "PYTHONPATH": paths, "PYTEST_ADDOPTS": WITHOUT_PLUGINS}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if any(text in done.stdout + done.stderr for text in NO_INDEX):
        pytest.skip("there is no package index to install a pack with")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python_with_what_is_installed_here() -> str:
    """An interpreter that can be installed into, and sees what this one sees."""
    folder = Path("environment")
    venv.create(folder)
    python = folder.resolve() / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(site, "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return str(python)


def test_a_new_pack_passes_its_tests_once_it_is_installed() -> None:
    assert new_rule("bad-thing", "--pack", "acme-rules").exit_code == 0
    assert new_rule("other-thing", "--pack", "acme-rules").exit_code == 0
    python = python_with_what_is_installed_here()
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "-e", "acme-rules")
    assert "6 passed" in run(python, "-m", "pytest", "-p", "no:cacheprovider", folder="acme-rules")
    listed = run(python, "-m", "devfix", "rules")
    assert "ACME101  bad-thing" in listed
    assert "ACME102  other-thing" in listed
    Path("main.py").write_text("import torch\nx = torch.ones(2).cuda()\n")
    run(python, "-m", "devfix", "apply", "--select", "ACME101", "main.py")
    assert Path("main.py").read_text() == 'import torch\nx = torch.ones(2).to("cuda")\n'


def test_it_says_what_it_made_and_what_is_next() -> None:
    done = new_rule("bad-thing", "--pack", "acme-rules", "--code", "ZED7")
    lines = done.stdout.splitlines()
    assert set(lines[:-2]) == set(files())
    assert lines[-1] == "Next: cd acme-rules && python -m pip install -e '.[dev]' && python -m pytest"
    assert 'code, name = "ZED7", "bad-thing"' in files()["acme-rules/acme_rules/bad_thing.py"]


def test_what_is_made_passes_strict_checks() -> None:
    new_rule("bad-thing", "--pack", "acme-rules")
    for tool in (
        "mypy --strict acme_rules tests",
        f"ruff check {RUFF} --select E,F,I,UP,B,SIM",
        f"ruff format {RUFF} --check",
    ):
        run(sys.executable, "-m", *tool.split(), folder="acme-rules")


def test_a_rule_is_added_to_the_pack_in_this_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    new_rule("bad-thing", "--pack", "acme-rules", "--code", "ZED041")
    before = files()
    monkeypatch.chdir("acme-rules")
    assert new_rule("third-thing").exit_code == 0
    monkeypatch.chdir("..")
    after = files()
    assert {name: after[name] for name in before} == before
    assert 'code, name = "ZED042", "third-thing"' in after["acme-rules/acme_rules/third_thing.py"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["Bad"], "a rule's name is small letters with hyphens"),
        (["bad"], "a rule's name is small letters with hyphens"),
        (["../../bad-thing"], "a rule's name is small letters with hyphens"),
        (["3-things"], "a rule's name is small letters with hyphens"),
        (["bad-thing", "--pack", "acme-rules", "--code", "DF102"], "a code is two to eight capitals, not DF"),
        (["bad-thing", "--pack", "acme-rules", "--code", "x"], "a code is two to eight capitals, not DF"),
        (["bad-thing"], "is neither a pack of rules nor empty"),
        (["bad-thing", "--pack", "full"], "full is neither a pack of rules nor empty"),
        (["bad-thing", "--pack", "other"], "announces no rules"),
        (["bad-thing", "--pack", "faulty"], "pyproject.toml: "),
        (["bad-thing", "--pack", "1-rules"], "gives no name for a package"),
        (
            ["good-thing", "--pack", "acme-rules"],
            "good_thing.py, acme-rules/cases/good-thing/before.py, acme-rules/cases",
        ),
        (["good-thing", "--pack", "acme-rules"], "are there already"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_written(arguments: list[str], told: str) -> None:
    new_rule("good-thing", "--pack", "acme-rules")
    for name, text in {
        "full/a.txt": "",
        "other/pyproject.toml": "[project]\nname = 'other'\n",
        "faulty/pyproject.toml": "[",
    }.items():
        Path(name).parent.mkdir()
        Path(name).write_text(text)
    before = files()
    done = new_rule(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
    assert files() == before
