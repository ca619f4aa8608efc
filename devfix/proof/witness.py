"""Witness: what a program is run on to see whether it works, a real accelerator or a simulated one."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from devfix.interpreters import ADVICE, interpreters

#: Asked in the user's interpreter: which torch there is, and which accelerator really computes. A torch that is built
#: for none, or need not have one, is not imported: that takes seconds.
_QUESTION = """
import importlib.util, json, os, runpy, sys
found = {"python": sys.version.split()[0], "executable": sys.executable, "paths": sys.path[1:], "torch": None, "kind": None, "gpu": None}
spec = importlib.util.find_spec("torch")
folder = os.path.dirname(spec.origin) if spec and spec.origin and spec.submodule_search_locations else ""
version = os.path.join(folder, "version.py") if folder else ""
build = runpy.run_path(version) if os.path.isfile(version) else {}
without = sys.platform != "darwin" and all(build.get(kind, "") is None for kind in ("cuda", "hip", "xpu"))
if "__version__" in build and (without or sys.argv[1:] == ["simulator"]):
    found["torch"] = str(build["__version__"])
elif spec:
    import torch
    found["torch"] = str(torch.__version__)
    for kind in ("cuda", "xpu", "mps"):
        try:
            module = torch.backends.mps if kind == "mps" else getattr(torch, kind)
            if module.is_available():
                torch.ones(1, device=kind).item()
                found["kind"] = kind
                found["gpu"] = kind if kind == "mps" else module.get_device_name(0)
                break
        except Exception as error:
            found["trouble"] = f"{kind}: {error}"
print(json.dumps(found))
"""
#: The first import of torch from a slow disk takes its time.
_PATIENCE = 300.0
_LEAST_TORCH, _LEAST_PYTHON = (2, 4), (3, 9)


class WitnessError(Exception):
    """There is nothing to run programs with."""


@dataclass(frozen=True, slots=True)
class Witness:
    """The user's interpreter and what stands behind its devices.

    ``kind`` is the device type that programs get; ``gpu`` is the name of a real one, or None when it is
    simulated; ``note`` tells why it is this one. ``paths`` are the interpreter's own search path.
    """

    python: str
    python_version: str
    torch: str
    kind: str = "cuda"
    gpu: str | None = None
    note: str = ""
    paths: tuple[str, ...] = ()

    @property
    def is_real(self) -> bool:
        """Whether programs run on hardware."""
        return self.gpu is not None

    @property
    def name(self) -> str:
        """``gpu`` or ``simulator``."""
        return "gpu" if self.is_real else "simulator"

    @property
    def mode(self) -> tuple[str, ...]:
        """The options of the launcher for it."""
        return ("--mode", "plain" if self.is_real else "strict", "--kind", self.kind)


#: The options of the launcher for a run that sees no accelerator.
ON_CPU = ("--mode", "plain", "--kind", "none")


def find_witness(on: str, python: str | None, folder: Path) -> Witness:
    """The witness for ``on`` ("auto", "gpu" or "simulator"); raises WitnessError.

    Without ``python`` the interpreter is that of the active environment, of the project in ``folder``,
    or on the path: the first one that has torch.
    """
    tried = []
    for candidate in [python] if python else interpreters(folder):
        found = _ask(candidate, on)
        if found.get("torch"):
            return _chosen(on, found)
        tried.append(f"{candidate}: {found.get('fault') or 'torch is not installed'}")
    reasons = "; ".join(tried) or "no Python interpreter was found"
    if python:
        raise WitnessError(f"programs cannot be run with {reasons}")
    raise WitnessError(f"no interpreter to run programs with ({reasons}); {ADVICE}")


def _chosen(on: str, found: dict[str, Any]) -> Witness:
    trouble = found.get("trouble", "")
    paths = tuple(os.path.realpath(path) for path in found["paths"] if path)
    witness = Witness(found["executable"], found["python"], found["torch"], paths=paths)
    if found.get("kind") and on != "simulator":
        return replace(witness, kind=found["kind"], gpu=found["gpu"])
    if on == "gpu":
        raise WitnessError(f"{witness.python} sees no GPU{f' ({trouble})' if trouble else ''}")
    if _numbers(witness.torch) < _LEAST_TORCH or _numbers(witness.python_version) < _LEAST_PYTHON:
        raise WitnessError(
            f"the simulator needs torch 2.4 and Python 3.9 or later; {witness.python} has torch {witness.torch} "
            f"and Python {witness.python_version}"
        )
    return replace(witness, note="" if on == "simulator" else trouble or "there is no GPU here")


def _numbers(version: str) -> tuple[int, int]:
    words = version.split(".")
    return (int(words[0]), int(words[1])) if len(words) > 1 and words[1].isdecimal() else (0, 0)


def _ask(python: str, on: str) -> dict[str, Any]:
    command = [python, "-c", _QUESTION, on]
    try:
        done = subprocess.run(  # noqa: S603 - the interpreter that the user named or works with
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=_PATIENCE
        )
        # Start-up files may print too.
        found: dict[str, Any] = json.loads((done.stdout.strip().splitlines() or [""])[-1])
    except subprocess.TimeoutExpired:
        return {"fault": "importing torch takes too long"}
    except OSError as error:
        return {"fault": f"{error.strerror}"}
    except ValueError:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"fault": lines[-1]}
    return found
