"""A small project with what the commands in the documentation name: programs, notebooks, tests, a campaign."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from documentation import ROOT

_PROGRAM = """\
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
arguments = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(arguments.epochs):
    batch = torch.ones(8, 4)
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()
print("done")
"""
_MODULE = """\
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
print((torch.zeros(3, device=device) + torch.ones(3)).sum().item())
"""
_DTYPES = """\
import torch

layer = torch.nn.Linear(2, 1)
print(layer(torch.ones(1, 2, dtype=torch.float64)))
"""
_ERROR = """\
Traceback (most recent call last):
  File "train.py", line 14, in <module>
    model(batch).sum().backward()
    ~~~~~^^^^^^^
RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)
"""
_TEST = """\
import torch


def test_two_tensors_of_the_accelerator() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    assert (torch.ones(2, device=device) + torch.ones(2, device=device)).sum().item() == 4
"""
_CAMPAIGN = """\
[campaign]
name = "gpu"
branch = "devfix/gpu"
repositories = ["trainer"]
author = "A <a@example.org>"
"""


#: Options of pytest for a project that has no tests of language servers: that plugin takes seconds to be imported.
WITHOUT_PLUGINS = "-p no:pytest-lsp -p no:asyncio -p no:hypothesispytest"


def make(folder: Path) -> None:
    """Write the project."""
    notebook = _notebook(_MODULE)
    files = {
        "train.py": _PROGRAM,
        "pack/__init__.py": "",
        "pack/train.py": _MODULE,
        "analysis.ipynb": notebook,
        "notebooks/one.ipynb": notebook,
        "src/model.py": _MODULE,
        "src/dtypes.py": _DTYPES,
        "path/to/your/code/train.py": _PROGRAM,
        "error.txt": _ERROR,
        "test_devices.py": _TEST,
        "gpu.toml": _CAMPAIGN,
        "trainer/train.py": _MODULE,
    }
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for repository in (folder / "trainer", folder):
        _commit(repository)


def _notebook(text: str) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text,
    }
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return (
        json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}, indent=1) + "\n"
    )


def _commit(folder: Path) -> None:
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as it was"]):
        subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)


def tools(folder: Path) -> dict[str, str]:
    """An environment in which ``devfix``, ``python`` and ``pytest`` are those of this checkout."""
    folder.mkdir()
    for name, words in {
        "devfix": "-m devfix",
        "python": "",
        "python3": "",
        "pytest": "-m pytest -p no:cacheprovider",
    }.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    needed = [os.path.dirname(found) for name in ("git", "sh") if (found := shutil.which(name))]
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "DEVFIX_"))},
        "PATH": os.pathsep.join([str(folder), *needed, os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "codemods")]),
        "PYTEST_ADDOPTS": WITHOUT_PLUGINS,
        "HOME": str(folder),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
