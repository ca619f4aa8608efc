"""A check is made again when a file changes, and ends as the last one did."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from terminal import PATIENCE, at_terminal
from typer.testing import CliRunner

from devfix.cli import app
from devfix.config import Asked
from devfix.watching.sight import Sight

FAULTY = "import torch\nx = torch.zeros(3, device='cuda')\ny = x + torch.ones(3)\n"
CLEAN = FAULTY.replace("torch.ones(3)", "torch.ones(3, device='cuda')")
IMPORTING = "import torch\nfrom lib.helper import make\nx = torch.zeros(3, device='cuda')\ny = x + make()\n"
HELPER = "import torch\n\ndef make():\n    return torch.ones(3)\n"
MOVED_HELPER = HELPER.replace("(3)", "(3, device='cuda')")
COMMAND = [sys.executable, "-m", "devfix", "check", "--watch"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").touch()
    monkeypatch.chdir(project)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("TERM", "xterm")


def write(name: str, text: str) -> None:
    """As editors do: another file takes the name."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


class Watching:
    """A check that watches and writes into pipes; each line of it is waited for."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.out = self._lines(self.process.stdout)
        self.err = self._lines(self.process.stderr)

    def _lines(self, stream: IO[str] | None) -> queue.Queue[str]:
        assert stream is not None
        lines: queue.Queue[str] = queue.Queue()

        def read() -> None:
            for line in stream:
                lines.put(line)

        threading.Thread(target=read, daemon=True).start()
        return lines

    def told(self) -> str:
        """What is told of the next check, without the time."""
        line = self.err.get(timeout=PATIENCE)
        return re.sub(r"^\d\d:\d\d:\d\d ", "", line).partition("; watching")[0].strip()

    def written(self) -> list[str]:
        """The files of the findings of the next check, written as a line for each and one that sums up."""
        paths = []
        while (line := json.loads(self.out.get(timeout=PATIENCE)))["kind"] == "finding":
            paths.append(line["path"])
        return paths

    def interrupted(self) -> int:
        """The exit code after Control-C."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def watching() -> Iterator[list[Watching]]:
    started: list[Watching] = []
    yield started
    for each in started:
        each.process.kill()
        each.process.wait()
        for stream in (each.process.stdout, each.process.stderr):
            assert stream is not None
            stream.close()


def test_into_a_pipe_there_are_findings_alone(watching: list[Watching]) -> None:
    write("a.py", FAULTY)
    check = Watching("--output-format", "json-lines")
    watching.append(check)
    assert check.told() == "1 finding"
    assert check.written() == ["a.py"]
    write("a.py", CLEAN)
    assert check.told() == "0 findings"
    assert check.written() == []
    write("new/b.py", FAULTY)
    assert check.told() == "1 finding"
    assert check.written() == ["new/b.py"]
    Path("new/b.py").unlink()
    assert check.told() == "0 findings"
    assert check.written() == []
    write("a.py", "import torch\ndef broken(:\n")
    assert check.told() == "a.py:2:12: error: has a syntax error: invalid syntax"
    assert check.told() == "0 findings, and errors"
    write("a.py", FAULTY)
    assert check.told() == "1 finding"
    assert check.interrupted() == 1


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_settings_are_watched_until_they_are_mended(
    options: tuple[str, ...], watching: list[Watching]
) -> None:
    write("a.py", FAULTY)
    write("base.toml", "nonsense = 1\n")
    write("devfix.toml", "extend = 'base.toml'\n")
    check = Watching("--output-format", "concise", *options)
    watching.append(check)
    assert "unknown key `nonsense`" in check.told()
    assert check.told() == "not checked"
    write("base.toml", "")
    assert check.told() == "1 finding"
    write("base.toml", "ignore = ['ALL']\n")
    assert check.told() == "0 findings"
    write("devfix.toml", "baseline = 'known.json'\n")
    assert "known.json" in check.told()
    assert check.told() == "not checked"
    CliRunner().invoke(app, ["check", "--write-baseline", "--baseline", "other.json"], catch_exceptions=False)
    Path("other.json").rename("known.json")
    assert check.told() == "1 known finding is left out (known.json)"
    assert check.told() == "0 findings"
    assert check.interrupted() == 0


def test_what_others_import_is_watched(watching: list[Watching]) -> None:
    write("lib/helper.py", HELPER)
    write("src/a.py", IMPORTING)
    check = Watching("src")
    watching.append(check)
    assert check.told() == "1 finding"
    write("lib/helper.py", MOVED_HELPER)
    assert check.told() == "0 findings"
    assert check.interrupted() == 0


def test_at_a_terminal_the_screen_is_cleared() -> None:
    write("a.py", FAULTY)
    with at_terminal(COMMAND, Path(), os.environ) as terminal:
        assert "Found 1 finding in 1 file" in terminal.until("Ctrl-C ends\n")
        write("a.py", CLEAN)
        shown = terminal.until("Ctrl-C ends\n")
        assert shown.startswith("\x1b[H\x1b[2J\x1b[3J")
        assert "No findings in 1 file.\n" in shown
        write("a.py", FAULTY)
        terminal.until("Ctrl-C ends\n")
        terminal.type("\x03")
        code, rest = terminal.rest()
    assert code == 1
    assert "Traceback" not in rest


@pytest.mark.parametrize(
    "words",
    [("-",), ("--output-file", "o"), ("--write-baseline",), ("--prune-baseline",), ("--add-ignore=why",)],
)
def test_what_does_not_go_with_watching_is_refused(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, ["check", "--watch", *words], catch_exceptions=False)
    assert done.exit_code == 2
    assert "--watch" in done.stderr


def sight(*paths: str, **asked: object) -> Sight:
    found = Sight([Path(path) for path in paths or (".",)], Asked(**asked))  # type: ignore[arg-type]
    assert not found.changed()
    return found


def test_what_is_not_checked_is_no_change() -> None:
    write("a.py", CLEAN)
    write("old/b.py", CLEAN)
    write("devfix.toml", "exclude = ['old']\n")
    seen = sight()
    for name in (
        "notes.txt",
        "a.log",
        "old/b.py",
        "old/c.py",
        "__pycache__/a.py",
        ".hidden/a.py",
        "folder/x",
    ):
        write(name, FAULTY)
        assert not seen.changed(), name


@pytest.mark.parametrize(
    "name",
    ["b.py", "nb.ipynb", "new/folder/b.pyw", "devfix.toml", "folder/.devfix.toml", "../devfix.toml", ".gitignore"],
)  # fmt: skip
def test_what_appears_changes_and_vanishes_is_seen(name: str) -> None:
    write("a.py", CLEAN)
    write("folder/a.py", CLEAN)
    seen = sight()
    write(name, "")
    assert seen.changed()
    assert not seen.changed()
    write(name, "# more\n")
    assert seen.changed()
    Path(name).unlink()
    assert seen.changed()
    assert not seen.changed()


def test_a_named_file_that_is_gone_is_waited_for() -> None:
    seen = sight("later.py", config=("src = ['lib']",))
    write("other.py", CLEAN)
    assert not seen.changed()
    write("later.py", CLEAN)
    assert seen.changed()
    assert len(seen) == 2  # and pyproject.toml
