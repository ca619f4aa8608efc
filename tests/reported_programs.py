"""A folder with all that a report has to tell: findings in a file and a notebook, odd names, faults and a crash."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from devfix.config import Settings
from devfix.engine import Engine
from devfix.file_report import Crash, FileReport, Skipped
from devfix.findings import Applicability
from devfix.registry import PackFault, load
from devfix.report.results import Results
from devfix.report.view import View
from devfix.runner import Task, run_paths

TRAIN = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
modèle = torch.nn.Linear(4, 2).to(device)
mask = torch.ones(8, 2)
for step in range(3):
    é = torch.randn(8, 4)
    y = modèle(é); z = y * mask
"""
CELLS = (
    """import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)""",
    'x = torch.randn(8, 4)\nprint("é\\t"); y = model(x)',
)
#: A name with what URIs, workflow commands and HTML give a meaning to.
ODD = "sub dir/trä,in:50%<b>.py"


def write(folder: Path) -> None:
    """The files, in a repository."""
    (folder / ".git").mkdir()
    (folder / "sub dir").mkdir()
    (folder / ODD).write_text(TRAIN, encoding="utf-8")
    (folder / "clean.py").write_text("print(1)\n", encoding="utf-8")
    (folder / "broken.py").write_text("import torch\ndef f(:\n", encoding="utf-8")
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": text.splitlines(keepends=True)}
        for text in CELLS
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "nb.ipynb").write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def engine() -> Engine:
    """The tool's own rules, with no settings."""
    return Engine(load().rules, Settings())


def checked(*paths: str) -> Results:
    """The results of a check of the paths, by default all there is, with a crash and what is passed over."""
    results = run_paths([Path(path) for path in paths or (".",)], engine(), Task(), jobs=1)
    faults = (
        FileReport(
            "crashed.py", crash=Crash("crashed.py", "ValueError: <no>", "Traceback\n  \x1b[0m line\n")
        ),
        FileReport(
            "other.ipynb", skipped=Skipped("other.ipynb", "is no Python: its language is R", fault=False)
        ),
    )
    packs = (PackFault("theirs", "has no rules"),)
    return replace(results, reports=(*results.reports, *faults), pack_faults=packs)


def applied(*, write: bool) -> Results:
    """The results of fixing all there is."""
    return run_paths([Path()], engine(), Task(Applicability.SAFE, write=write), jobs=1)


def view() -> View:
    """How formats show results of the tool's own rules."""
    tool = engine()
    return View(rules=tool.selection.active, edited=tool.edited)
