"""Zygote: a process that has torch and the simulator loaded, and forks for each run of a program.

Importing them takes seconds, running a small program a tenth of one.
"""

from __future__ import annotations

import atexit
import gc
import importlib.util
import json
import os
import subprocess
import sys
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

SIMULATOR = Path(__file__).resolve().parent.parent / "devfix" / "simulator"


class Zygote:
    """Starts runs; to be closed."""

    def __init__(self) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, folder: Path, words: list[str], report: Path, mode: str, kind: str) -> str:
        """Run a program in a folder and wait for its report; what it printed comes back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        output = report.with_suffix(".out")
        options = ["--mode", mode, "--kind", kind, "--report", str(report), "--max-seconds", "60"]
        order = {"folder": str(folder), "words": [*options, *words], "output": str(output)}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        self._process.stdout.readline()
        return output.read_text(encoding="utf-8", errors="replace")

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process.wait()


def _serve() -> None:
    import torch  # noqa: PLC0415 - only in the process that serves

    torch.set_num_threads(1)
    launching = _launching()
    # What torch gives back at its end goes with the process: one after the other that takes as long as a small program.
    for end in [*weakref.finalize._registry]:  # type: ignore[attr-defined]
        end.atexit = False
    # None of it is garbage, and looking at it would copy it in each run.
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if not child:
            _run(order, launching)
        os.waitpid(child, 0)
        sys.stdout.write("done\n")
        sys.stdout.flush()


def _run(order: Mapping[str, Any], launching: ModuleType) -> None:
    leave = os._exit
    try:
        target = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(target, stream)
        os.chdir(order["folder"])
        sys.path[:] = [path for path in sys.path if Path(path) != Path(__file__).parent]
        _launch(order["words"], launching)
    except SystemExit:
        pass
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        leave(0)


def _launching() -> ModuleType:
    """What runs a program in the simulator's package, with all that it imports later."""
    spec = importlib.util.spec_from_file_location("launch", SIMULATOR / "launch.py")
    assert spec is not None
    assert spec.loader is not None
    launch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launch)
    package = launch.package().__name__
    for name in ("parameters", "run_report", "simulation"):
        importlib.import_module(f"{package}.{name}")
    return importlib.import_module(f"{package}.launching")


def _launch(words: list[str], launching: ModuleType) -> None:
    try:
        launching.main(words)
    finally:
        # The report is written by a function that Python calls at its end.
        atexit._run_exitfuncs()


if __name__ == "__main__":
    _serve()
