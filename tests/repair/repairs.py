"""Repairs: what devfix makes of a program, with each of its commands."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

from repair.working_program import WorkingProgram
from text_program import fix_texts

from devfix.findings import Applicability

Texts = Mapping[str, str]


def applied(texts: Texts) -> Texts:
    """After ``devfix apply``."""
    return fix_texts(texts, Applicability.SAFE)[0]


def applied_unsafe(texts: Texts, *, adopt: bool = False) -> Texts:
    """After ``devfix apply --unsafe``."""
    return fix_texts(texts, Applicability.UNSAFE, adopt=adopt)[0]


def mended_by_runs(program: WorkingProgram, texts: Texts) -> Texts:
    """After ``devfix run --fix --unsafe``."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve() / "work"
        program.write(texts, work)
        options = ["run", "--fix", "--unsafe", "--quiet", "--timeout", "60"]
        command = [sys.executable, "-m", "devfix", *options, program.entry, *program.args]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run(command, cwd=work, capture_output=True, check=False, env=environment)
        return {path: (work / path).read_text(encoding="utf-8") for path in texts}


def guarded(repair: Callable[[Texts], Texts], texts: Texts) -> tuple[Texts, str]:
    """What a repair makes of the texts, or the texts and the traceback where it crashes, which is a result too."""
    try:
        return repair(texts), ""
    except Exception:  # noqa: BLE001 - whatever it dies of
        return texts, traceback.format_exc()


def changed_lines(before: Texts, after: Texts) -> int:
    """How many lines a diff of the two takes away and adds."""
    count = 0
    for path, text in before.items():
        lines = difflib.unified_diff(text.splitlines(), after.get(path, "").splitlines(), n=0, lineterm="")
        count += sum(line[0] in "+-" for line in list(lines)[2:])
    return count
