"""Stands for the launcher in the user's interpreter, without torch: an accelerator is a word here.

A program finds ``ACCELERATOR`` and the functions below among its built-ins. ``bad`` fails where there is an
accelerator and ``good`` does not; what they are given they give back.
"""

from __future__ import annotations

import builtins
import json
import os
import runpy
import signal
import sys
import traceback
from typing import Any, NoReturn

MISMATCH = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


def main(words: list[str]) -> None:
    options: dict[str, str] = {}
    while words[0] in ("--mode", "--kind", "--report", "--max-steps"):
        options[words[0]], words = words[1], words[2:]
    report = Report(options)
    report.write("unfinished", None)
    signal.signal(signal.SIGTERM, lambda number, _frame: report.end("stopped", 128 + number))
    accelerator = options["--kind"] != "none"
    for name, value in names(report, accelerator=accelerator).items():
        setattr(builtins, name, value)
    is_module = words[0] == "-m"
    sys.argv = words[1:] if is_module else words
    sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.realpath(words[0]))
    run(report, sys.argv[0], is_module=is_module)


def names(report: Report, *, accelerator: bool) -> dict[str, Any]:
    def bad(value: object = 0) -> object:
        if accelerator:
            raise RuntimeError(MISMATCH)
        return value

    def trained(*values: float) -> None:
        report.content["parameters"] = {
            "sha256": repr(values),
            "count": 1,
            "values": [list(values)],
            "norm": 1.0,
            "device_types": ["cpu"],
        }

    good = {name: lambda value=0: value for name in ("good", "worse", "odd")}
    # `better` rounds, as a cast does; `even` does something else altogether.
    other = {"better": lambda value: value * 1.0001, "even": lambda value: value + 1}
    return {"ACCELERATOR": accelerator, "bad": bad, "trained": trained, **good, **other}


class Report:
    def __init__(self, options: dict[str, str]) -> None:
        self.path = options["--report"]
        self.content: dict[str, Any] = {
            "format": 1, "python": "3", "torch": "2", "mode": options["--mode"], "kind": options["--kind"],
            "drew_on_device": bool(os.environ.get("DREW_ON_DEVICE")),
        }  # fmt: skip

    def write(self, how: str, status: int | None, error: BaseException | None = None) -> None:
        files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
        mine = {name: file for name, file in files.items() if file and file.startswith(os.getcwd())}
        self.content |= {
            "outcome": {"how": how, "status": status, "reason": None, "error": described(error)},
            "modules": mine,
        }
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.content, file)

    def end(self, how: str, status: int) -> NoReturn:
        self.write(how, status)
        os._exit(status)


def described(error: BaseException | None) -> dict[str, Any] | None:
    if error is None:
        return None
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__ and "<frozen" not in frame.filename]
    places = [
        {
            "file": os.path.abspath(each.filename),
            "line": each.lineno,
            "function": each.name,
            "text": each.line or "",
        }
        for each in own
    ]
    return {"type": type(error).__name__, "message": str(error), "frames": places}


def run(report: Report, program: str, *, is_module: bool) -> None:
    try:
        runpy.run_module(program, run_name="__main__") if is_module else runpy.run_path(
            program, run_name="__main__"
        )
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
        report.write("exited", status)
        raise
    except BaseException as error:  # noqa: BLE001 - whatever ends the program is reported
        report.write("raised", 1, error)
        traceback.print_exc()
        sys.exit(1)
    report.write("finished", 0)


if __name__ == "__main__":
    main(sys.argv[1:])
