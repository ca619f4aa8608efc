"""Completion in real shells: what is there after a Tab."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from devfix.cli.options import OutputFormat
from devfix.registry import load

CODES = [rule.code for rule in load().rules] + ["DF901"]
#: A shell's own name for what follows, after the completion is there.
READY = "ready-to-type"
SHELLS = {
    "bash": ["bash", "--noprofile", "--rcfile", "rc", "-i"],
    "zsh": ["zsh", "-i"],
}


def needs(shell: str) -> None:
    if sys.platform == "win32" or shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Where ``devfix`` is a command, and nothing of the user's own shell is read."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "devfix"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m devfix "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "HOME": str(tmp_path),
        "ZDOTDIR": str(tmp_path),
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
        "XDG_CONFIG_HOME": str(tmp_path),
    }


#: What devfix was asked for before: it is the same wherever the tests are.
_SCRIPTS: dict[str, str] = {}


def script(shell: str, environment: Mapping[str, str]) -> str:
    """The completion script, as ``--show-completion`` shows it in that shell."""
    if shell not in _SCRIPTS:
        variables = {**environment, "_DEVFIX_COMPLETE": f"source_{shell}"}
        done = subprocess.run(["devfix"], env=variables, capture_output=True, text=True, check=True)
        _SCRIPTS[shell] = done.stdout
    return _SCRIPTS[shell]


def offered(words: str, environment: Mapping[str, str], tmp_path: Path) -> list[str]:
    """What bash is told for the last word of a line; a blank at the end begins a new one."""
    needs("bash")
    path = tmp_path / "completion.bash"
    path.write_text(script("bash", environment), encoding="utf-8")
    line = words.split(" ")
    listed = " ".join(f"'{word}'" for word in line)
    commands = (
        f"source {path}; COMP_WORDS=({listed}); COMP_CWORD={len(line) - 1}; "
        "_devfix_completion devfix; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", commands],
        env=dict(environment),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("devfix che", ["check"]),
        ("devfix check --select DF1", [code for code in CODES if code.startswith("DF1")]),
        ("devfix check --select ", ["ALL", *CODES]),
        ("devfix check --ignore DF90", ["DF901"]),
        ("devfix apply --select operand", ["operand-not-moved"]),
        ("devfix check --select DF102,DF20", ["DF102,DF201", "DF102,DF202", "DF102,DF203", "DF102,DF204"]),
        ("devfix check --select DF201,DF20", ["DF201,DF202", "DF201,DF203", "DF201,DF204"]),
        ("devfix explain DF90", ["DF901"]),
        ("devfix explain model", ["model-not-moved"]),
        ("devfix check --output-format ", [member.value for member in OutputFormat]),
        ("devfix check --output-format g", ["github", "gitlab"]),
        ("devfix rules --output-format ", ["text", "json"]),
        ("devfix migrate st", ["status"]),
    ],
)
def test_what_bash_is_told(
    words: str, expected: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    assert offered(words, environment, tmp_path) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_a_tab_completes(shell: str, environment: dict[str, str], tmp_path: Path) -> None:
    needs(shell)
    from terminal import at_terminal  # noqa: PLC0415 - not where there are no terminals

    setup = "autoload -Uz compinit; compinit -u\n" if shell == "zsh" else "bind 'set bell-style none'\n"
    text = f"{setup}{script(shell, environment)}\nPS1='{READY}> '\n"
    (tmp_path / ("rc" if shell == "bash" else ".zshrc")).write_text(text, encoding="utf-8")
    with at_terminal(SHELLS[shell], tmp_path, environment) as terminal:
        for typed, completed in (
            ("devfix rules --output-format js\t", "--output-format json "),
            ("devfix explain unused\t", "explain unused-suppression "),
            ("devfix check --select DF90\t", "--select DF901 "),
        ):
            terminal.until(f"{READY}> ")
            terminal.type(typed)
            terminal.until(completed)
            terminal.type("\x15\n")


@pytest.mark.parametrize(("shell", "file"), [("bash", ".bashrc"), ("zsh", ".zshrc"), ("fish", None)])
def test_completion_can_be_installed(
    shell: str, file: str | None, environment: dict[str, str], tmp_path: Path
) -> None:
    needs(shell)
    # The shell is found by looking at the processes above; as its last command it would be replaced.
    done = subprocess.run(
        [shell, "-c", "devfix --install-completion; echo done"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert f"{shell} completion installed in " in done.stdout
    if file is not None:
        assert (tmp_path / file).is_file()
    written = [path for path in tmp_path.rglob("*devfix*") if path.is_file() and path.parent.name != "bin"]
    assert any("_DEVFIX_COMPLETE" in path.read_text(encoding="utf-8") for path in written)


def test_fish_is_told(environment: dict[str, str], tmp_path: Path) -> None:
    needs("fish")
    path = tmp_path / "completion.fish"
    path.write_text(script("fish", environment), encoding="utf-8")
    commands = f"source {path}; complete -C 'devfix check --select DF90'; complete -C 'devfix check --output-format ju'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", commands],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines() == ["DF901\tunused-suppression", "junit"]
