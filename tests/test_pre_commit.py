"""The hooks, installed and run by the real pre-commit on a git repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
import sweeps

pytest.importorskip("pre_commit")

ROOT = Path(__file__).parents[1]
#: What an installation from a clone needs.
PARTS = (".pre-commit-hooks.yaml", "LICENSE", "README.md", "codemods", "devfix", "pyproject.toml")
#: What pip says where there is no package index to install from.
NO_INDEX = ("No matching distribution found", "Could not fetch URL", "Failed to establish a new connection")

FAULTY = """\
import torch
from parts import noise

device = torch.device("cuda")
print(torch.zeros(3, device=device) + noise(3))
"""
FIXED = FAULTY.replace("noise(3)", "noise(3).to(device)")
PARTS_TEXT = """\
import torch


def noise(n):
    return torch.randn(n)


print(torch.ones(2, device="cuda") + torch.ones(2))
"""
NOTEBOOK = Path(__file__).parent / "data" / "notebooks" / "broken" / "colab.ipynb"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@dataclass(frozen=True)
class Hooks:
    """A repository that offers the hooks, and where pre-commit keeps what it has installed."""

    folder: Path
    revision: str
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        """Of what is installed a part is ever imported: that is compiled then, and not all of it at once."""
        # pip takes the value for that of its option `compile`.
        own = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
        others = {key: value for key, value in os.environ.items() if key not in own}
        return {**others, "PRE_COMMIT_HOME": str(self.home), "PIP_NO_COMPILE": "0"}


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """The project as it is in this checkout, in a git repository of its own."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")
    return Hooks(folder, git(folder, "rev-parse", "HEAD"), tmp_path_factory.mktemp("home"))


def pre_commit(hooks: Hooks, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**hooks.environment, "NO_COLOR": "1"}
    command = [sys.executable, "-m", "pre_commit", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if any(text in done.stdout + done.stderr for text in NO_INDEX):
        pytest.skip("there is no package index to install the hooks from")
    return done


@dataclass(frozen=True)
class Repository:
    """A user's repository with the hooks in its configuration."""

    folder: Path
    hooks: Hooks

    def write(self, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self) -> None:
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--no-verify", "--message", "x")

    def stage(self, texts: dict[str, str]) -> None:
        self.write(texts)
        git(self.folder, "add", "--", *texts)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return pre_commit(self.hooks, self.folder, "run", *arguments)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture
def repository(hooks: Hooks, tmp_path: Path) -> Repository:
    git(tmp_path, "init", "--quiet")
    made = Repository(tmp_path, hooks)
    configuration = f"""\
        repos:
          - repo: {hooks.folder}
            rev: {hooks.revision}
            hooks:
              - id: devfix
              - id: devfix-apply
    """
    made.write({".pre-commit-config.yaml": dedent(configuration)})
    made.commit()
    return made


def test_nothing_staged_is_nothing_to_do(repository: Repository) -> None:
    done = repository.run()
    assert done.returncode == 0
    assert done.stdout.count("Skipped") == 2


def test_named_files_are_checked_and_their_imports_are_read(repository: Repository) -> None:
    repository.write({"parts.py": PARTS_TEXT})
    repository.commit()
    repository.stage({"main.py": FAULTY})
    done = repository.run("devfix")
    assert done.returncode == 1
    assert "main.py:5:7: DF102 operand-not-moved" in done.stdout
    assert "= parts.py:5:12: `torch.randn(n)` is drawn here, on the CPU" in done.stdout
    assert "Found 1 finding in 1 file" in done.stdout, "what is not staged is not reported"


def test_fixes_are_written_and_the_next_run_passes(repository: Repository) -> None:
    repository.write({"parts.py": PARTS_TEXT})
    repository.commit()
    repository.stage({"main.py": FAULTY})
    done = repository.run("devfix-apply")
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert (repository.read("main.py"), repository.read("parts.py")) == (FIXED, PARTS_TEXT)
    git(repository.folder, "add", "--all")
    assert repository.run().returncode == 0


def test_deleted_files_are_no_faults(repository: Repository) -> None:
    repository.write({"gone.py": FAULTY, "also_gone.py": "", "kept.py": "import also_gone\n"})
    repository.commit()
    git(repository.folder, "rm", "--quiet", "gone.py")
    assert repository.run().returncode == 0
    (repository.folder / "also_gone.py").unlink()
    assert repository.run("--all-files").returncode == 0


def test_a_commit_is_refused(repository: Repository) -> None:
    assert pre_commit(repository.hooks, repository.folder, "install").returncode == 0
    repository.stage({"my program.py": PARTS_TEXT})
    environment = repository.hooks.environment
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-m", "x"]
    done = subprocess.run(
        command, cwd=repository.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "my program.py:8:7: DF102" in done.stdout + done.stderr


def test_notebooks_are_checked_and_fixed(repository: Repository) -> None:
    before = NOTEBOOK.read_text(encoding="utf-8")
    repository.stage({"train.ipynb": before})
    done = repository.run("devfix")
    assert done.returncode == 1
    assert "train.ipynb" in done.stdout
    repository.run("devfix-apply")
    assert repository.read("train.ipynb") != before


def test_what_the_settings_exclude_is_left_out(repository: Repository) -> None:
    repository.write({"devfix.toml": 'exclude = ["third_party/**"]\n'})
    repository.commit()
    repository.stage({"third_party/main.py": PARTS_TEXT})
    assert repository.run().returncode == 0
    assert repository.read("third_party/main.py") == PARTS_TEXT


def test_files_without_the_suffix_of_a_program_are_left_out(repository: Repository) -> None:
    script = "#!/usr/bin/env python3\n" + PARTS_TEXT
    repository.stage({"tool": script, "types.pyi": "x: int\n", "wscript": script, "a.txt": "x"})
    (repository.folder / "tool").chmod(0o755)
    done = repository.run()
    assert (done.returncode, done.stdout.count("Skipped")) == (0, 2)


@sweeps.again("they are installed a second time")
def test_the_hooks_can_be_tried(repository: Repository) -> None:
    """As somebody does before they write a configuration."""
    repository.stage({"main.py": PARTS_TEXT})
    done = pre_commit(repository.hooks, repository.folder, "try-repo", str(repository.hooks.folder), "devfix")
    assert done.returncode == 1, done.stdout
    assert "main.py:8:7: DF102" in done.stdout
