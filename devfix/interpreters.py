"""Interpreters: the Pythons on this machine that may be the user's own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

#: What to do where none will do.
ADVICE = "install torch (any build) for one of them, or name one with --python"


def interpreters(folder: Path) -> Iterator[str]:
    """Interpreters that a program in ``folder`` may be meant for, the likeliest first, each once.

    They are those of the active environment, of one that lies beside the program, the one that devfix itself
    runs in, and those on the path.
    """
    environments = [os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX")]
    environments += [str(folder / name) for name in (".venv", "venv")]
    found = [_python_of(Path(each)) for each in environments if each]
    found += [sys.executable, shutil.which("python3"), shutil.which("python")]
    each_once: dict[tuple[str, str], str] = {}
    for python in found:
        if python:
            each_once.setdefault(_mark(python), python)
    yield from each_once.values()


def _mark(python: str) -> tuple[str, str]:
    """What is the same for all names of an interpreter in one environment."""
    return (os.path.dirname(os.path.abspath(python)), os.path.realpath(python))


def _python_of(environment: Path) -> str | None:
    names = ("bin/python", "Scripts/python.exe", "python.exe")
    return next((str(environment / name) for name in names if (environment / name).is_file()), None)
