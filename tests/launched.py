"""Launched: runs programs through the launcher, each in a fork of one process that has imported torch.

Reads a list of programs from standard input as JSON and answers with what became of each. Importing torch takes
seconds, so that the tests pay for it once.
"""

from __future__ import annotations

import atexit
import ctypes
import importlib
import importlib.util
import json
import os
import signal
import sys
import threading
import time
from typing import Any, NoReturn

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LAUNCHER = os.path.join(_ROOT, "devfix", "simulator", "launch.py")


def main() -> None:
    """Run every program of the order."""
    spec = importlib.util.spec_from_file_location("_launch", _LAUNCHER)
    assert spec is not None
    assert spec.loader is not None
    launch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launch)
    package = launch.package().__name__
    importlib.import_module("torch")
    launching = importlib.import_module(f"{package}.launching")
    # The launcher has taken the folder of its own file from the path.
    del sys.path[0]
    sys.stdout.write(json.dumps([_run(launching, order) for order in json.load(sys.stdin)]))


def _run(launching: Any, order: dict[str, Any]) -> dict[str, Any]:
    streams = {name: os.path.join(order["folder"], f"{name}.txt") for name in ("out", "err")}
    report = os.path.join(order["folder"], "report.json")
    child = os.fork()
    if child == 0:
        _become(launching, order, streams, report)
    if order.get("kill"):
        _wait_for("ready", streams["out"])
        os.kill(child, getattr(signal, order["kill"]))
    _, status = os.waitpid(child, 0)
    with open(report, encoding="utf-8") as file:
        held = json.load(file)
    texts = {name: open(path, encoding="utf-8").read() for name, path in streams.items()}  # noqa: SIM115
    return {"status": os.waitstatus_to_exitcode(status), "report": held, **texts}


def _become(launching: Any, order: dict[str, Any], streams: dict[str, str], report: str) -> NoReturn:
    os.chdir(order["folder"])
    for number, name in enumerate(("out", "err"), start=1):
        descriptor = os.open(streams[name], os.O_WRONLY | os.O_CREAT)
        os.dup2(descriptor, number)
    words = [*order["options"], "--report", report, *order["words"]]
    if order.get("whole"):
        _say_at_end(b"torch gives back what it holds")
        launching.main(words)
        # As at the end of the launcher's own file.
        sys.exit(0)
    _end(_status_of(launching, words))


def _say_at_end(text: bytes) -> None:
    """Print a line when the libraries that are loaded by now end, unless nobody waits for that."""
    library, line = ctypes.CDLL(None), ctypes.create_string_buffer(text)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(line))  # read when Python has gone
    library.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
    library.__cxa_atexit(ctypes.cast(library.puts, ctypes.c_void_p), ctypes.addressof(line), None)


def _status_of(launching: Any, words: list[str]) -> int:
    try:
        launching.main(words)
    except SystemExit as ending:
        if ending.code is None or isinstance(ending.code, int):
            return ending.code or 0
        sys.stderr.write(f"{ending.code}\n")
        return 1
    return 0


_leave = os._exit


def _end(status: int) -> NoReturn:
    """End as Python does, but for tearing down torch, which takes seconds in a fork."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    _leave(status)


def _wait_for(word: str, path: str) -> None:
    for _ in range(1000):
        if os.path.exists(path) and word in open(path, encoding="utf-8").read():  # noqa: SIM115
            return
        time.sleep(0.01)


if __name__ == "__main__":
    main()
