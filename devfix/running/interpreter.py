"""Interpreter: the Python to run the user's program with, which has to have torch."""

from __future__ import annotations

import subprocess
from pathlib import Path

from devfix.interpreters import ADVICE, interpreters

#: Asked in the interpreter; importing torch would take seconds.
_QUESTION = """
import importlib.metadata as metadata, importlib.util, sys
if sys.version_info < (3, 9): sys.exit("Python 3.9 or later is needed, this is " + sys.version.split()[0])
if importlib.util.find_spec("torch") is None: sys.exit("torch is not installed")
try: found = metadata.version("torch")
except metadata.PackageNotFoundError: found = "9.9"
if [int(part) for part in found.split(".")[:2]] < [2, 4]: sys.exit("torch 2.4 or later is needed, this is " + found)
"""
_PATIENCE = 60.0


class InterpreterError(Exception):
    """There is no interpreter that a program could be run with."""


def find_interpreter(python: str | None, folder: Path) -> str:
    """The interpreter the user named, or the first one likely to be meant that has torch; raises InterpreterError."""
    tried = []
    for candidate in [python] if python else interpreters(folder):
        fault = _fault(candidate)
        if not fault:
            return candidate
        tried.append(f"{candidate}: {fault}")
    reasons = "; ".join(tried) or "no Python interpreter was found"
    if python:
        raise InterpreterError(f"the program cannot be run with {reasons}")
    raise InterpreterError(f"no interpreter to run the program with ({reasons}); {ADVICE}")


def _fault(python: str) -> str:
    """Why an interpreter cannot be used; nothing when it can."""
    command = [python, "-c", _QUESTION]
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that the user named or works with
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        return "it does not answer"
    except OSError as error:
        return error.strerror or str(error)
    lines = done.stderr.strip().splitlines()
    return "" if done.returncode == 0 else (lines or [f"it ends with status {done.returncode}"])[-1]
