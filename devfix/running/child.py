"""Child: the user's program, run where it stands and with everything it usually has."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TextIO

from devfix.observation.record import RecordError, RunRecord, read_record
from devfix.running.interruptions import Interruptions, taken_along
from devfix.running.progress import Progress
from devfix.running.request import Request

#: How often the child is looked at, and how long past its own limit it may take to end, in seconds.
_TICK, _GRACE = 0.2, 20.0
#: How long a child may go on after it was asked to end.
_PATIENCE = 5.0


class RunError(Exception):
    """The program could not be run, or left nothing behind that could be read."""


def run_in_place(
    request: Request, python: str, progress: Progress, stdout: TextIO | None, stderr: TextIO | None
) -> RunRecord:
    """Run a program and read its report; raises RunError. What it prints goes to the streams, or nowhere.

    An interruption goes to the program, which does with it what it does without devfix: what was seen until it ends is
    reported.
    """
    with tempfile.TemporaryDirectory(prefix="devfix-") as folder, taken_along() as interruptions:
        report, ear = Path(folder) / "report.json", interruptions.ear
        command = request.command(python, report, ear=ear)
        heard = () if ear is None else (ear,)
        try:
            child = subprocess.Popen(  # noqa: S603 - what the user asked to run
                command, stdout=_target(stdout), stderr=_target(stderr), pass_fds=heard
            )
        except OSError as error:
            raise RunError(f"{python} cannot be run: {error.strerror}") from error
        with child:
            try:
                _watch(child, report, request.max_seconds, progress, interruptions)
            finally:
                _end(child)
                progress.clear()
        return read_report(report, child.returncode)


def _target(stream: TextIO | None) -> int | TextIO:
    if stream is None:
        return subprocess.DEVNULL
    stream.flush()
    return stream


def _watch(
    child: subprocess.Popen[bytes],
    report: Path,
    seconds: float | None,
    progress: Progress,
    interruptions: Interruptions,
) -> None:
    """Wait for the child; one that does not mind its own limit is ended."""
    began: float | None = None
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_TICK)
        interruptions.hand_on(child)
        if child.poll() is not None or interruptions.enough:
            return
        progress.tell(report)
        # Its clock begins when torch is imported, and the report is there from then on.
        began = time.monotonic() if began is None and report.exists() else began
        if seconds is not None and began is not None and time.monotonic() - began > seconds + _GRACE:
            return


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return
    child.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_PATIENCE)
    if child.poll() is None:
        child.kill()
        child.wait()


def read_report(report: Path, status: int | None) -> RunRecord:
    """The record of a run that ended with a status; raises RunError when there is none."""
    try:
        return read_record(report)
    except RecordError as error:
        if status == -signal.SIGINT:
            raise RunError("the run was interrupted before the program began") from error
        ended = f"by signal {-status}" if status is not None and status < 0 else f"with status {status}"
        raise RunError(f"{error}; the process ended {ended}") from error
