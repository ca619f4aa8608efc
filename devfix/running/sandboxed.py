"""Sandboxed: the program run in a copy of its folder, within limits, so that it changes nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from devfix.observation.record import RunRecord
from devfix.running.child import RunError, read_report
from devfix.running.request import Request
from devfix.sandbox.box import Box, boxed
from devfix.sandbox.ending import LIMITS
from devfix.sandbox.limits import Limits
from devfix.sandbox.replica import TooLargeError
from devfix.sandbox.supervision import SandboxError

#: How long past its own limit a run may take, for starting Python and torch, in seconds.
_MARGIN = 60.0
_NO_LIMIT = 365 * 24 * 3600.0


def run_in_copy(
    request: Request, python: str, folder: Path, stdout: TextIO | None, stderr: TextIO | None
) -> RunRecord:
    """Run a program in a copy of ``folder``; what it prints comes when it has ended. Raises RunError."""
    seconds = request.max_seconds + _MARGIN if request.max_seconds is not None else _NO_LIMIT
    try:
        with boxed(folder) as box:
            report = box.results / "report.json"
            inside = request
            if not request.is_module:
                inside = replace(request, program=str(box.inside(Path(request.program).resolve())))
            ending = box.run(inside.command(python, report), folder, Limits(seconds=seconds))
            for stream, text in ((stdout, ending.output), (stderr, ending.errors)):
                if stream is not None:
                    stream.write(text)
                    stream.flush()
            if ending.limit is not None:
                raise RunError(f"the program {LIMITS[ending.limit]}")
            _rename(report, box)
            return read_report(report, ending.status)
    except (TooLargeError, SandboxError, OSError) as error:
        raise RunError(str(error)) from error


def _rename(report: Path, box: Box) -> None:
    """Give the files in a report the names that the user knows them by."""
    try:
        held = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # whoever reads it says so
    report.write_text(json.dumps(_renamed(held, box)), encoding="utf-8")


def _renamed(held: Any, box: Box) -> Any:
    if isinstance(held, list):
        return [_renamed(part, box) for part in held]
    if not isinstance(held, dict):
        return held
    return {
        name: str(box.outside(Path(part)))
        if name == "file" and isinstance(part, str)
        else _renamed(part, box)
        for name, part in held.items()
    }
