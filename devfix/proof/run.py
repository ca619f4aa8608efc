"""Run: one program executed once, and what came of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from devfix.observation.record import Outcome, Place, RecordError, RunRecord, read_record
from devfix.report.cells import cell_label
from devfix.sandbox.ending import LIMITS, Ending
from devfix.sandbox.limits import MIB, Limits
from devfix.tracebacks.readings import recognise
from devfix.tracebacks.texts import FAMILIES

#: The kind of messages that say that there is no such device, rather than that two do not fit.
_ABSENT = "absent-device"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run did not end well.

    ``kind`` is "limit", "signal", "error", "status" or "start". ``place`` is the user's line, if any.
    """

    kind: str
    text: str
    type: str = ""
    place: Place | None = None
    missing: str = ""

    def __str__(self) -> str:
        if self.place is None:
            return self.text
        file = cell_label(os.path.basename(self.place.file), self.place.cell)
        return f"{self.text} ({file}:{self.place.line})"


@dataclass(frozen=True, slots=True)
class Run:
    """One run: how the process ended, what the launcher reported, and the failure if it was one."""

    ending: Ending
    record: RunRecord | None
    failure: Failure | None

    @property
    def finished(self) -> bool:
        """Whether the program came to its end without an error."""
        return self.failure is None

    @property
    def hit_limit(self) -> bool:
        """Whether devfix ended the program, so that nothing is known of it."""
        return self.failure is not None and self.failure.kind == "limit"

    @property
    def output(self) -> str:
        """What it printed."""
        return self.ending.output

    @property
    def modules(self) -> list[Path]:
        """The files of the user's own that the program imported."""
        return [] if self.record is None else [Path(file) for _, file in self.record.modules]

    @property
    def drew_on_device(self) -> bool:
        """Whether random numbers of the accelerator's own went into the result, as far as is known."""
        return self.record is not None and self.record.drew_on_device is not False

    @property
    def is_mismatch(self) -> bool:
        """Whether it failed for devices or dtypes that do not fit together."""
        return self._kind() not in ("", _ABSENT)

    def _kind(self) -> str:
        if self.failure is None or self.failure.kind != "error":
            return ""
        mismatches = self.record.mismatches if self.record is not None else ()
        message = self._message()
        if any(each.message == message for each in mismatches):
            return "device"
        reading = recognise(message, FAMILIES)
        return "" if reading is None else reading.kind

    def _message(self) -> str:
        error = self.record.outcome.error if self.record is not None else None
        return "" if error is None else error.message


def read_run(ending: Ending, report: Path, limits: Limits) -> Run:
    """What came of a run, from how it ended and from the report it left."""
    try:
        record = read_record(report)
    except RecordError:
        record = None
    return Run(ending, record, _failure(ending, record, limits))


def _failure(ending: Ending, record: RunRecord | None, limits: Limits) -> Failure | None:
    if ending.limit is not None:
        return Failure("limit", _limit_text(ending.limit, limits), ending.limit)
    if record is None:
        return Failure("start", _last_line(ending) or _ended(ending))
    outcome = record.outcome
    if outcome.error is not None:
        return _raised(outcome, ending)
    if outcome.how == "stopped" and outcome.reason == "max-steps":
        return None
    if ending.status == 0 and outcome.how in ("finished", "exited"):
        return None
    return _ended_early(outcome, ending)


def _limit_text(limit: str, limits: Limits) -> str:
    amounts = {
        "time": f" ({limits.seconds:g} s)",
        "memory": f" ({limits.memory // MIB} MiB)",
        "processes": f" ({limits.processes})",
        "output": f" ({limits.output // MIB} MiB)",
    }
    return LIMITS[limit] + amounts.get(limit, "")


def _raised(outcome: Outcome, ending: Ending) -> Failure:
    error = outcome.error
    assert error is not None  # noqa: S101 - the caller looked
    first = next(iter(error.message.strip().splitlines()), "")
    text = f"{error.type}: {first}" if first else error.type
    place = error.frames[-1] if error.frames else None
    return Failure("error", text, error.type, place, _missing(error.type, first, ending))


def _missing(kind: str, message: str, ending: Ending) -> str:
    """What the program needs and does not have, in words."""
    if kind in ("ModuleNotFoundError", "ImportError"):
        name = re.search(r"No module named '([^']+)'", message)
        return (
            f"it needs the package `{name[1].partition('.')[0]}`" if name else "a package it needs is missing"
        )
    if kind == "FileNotFoundError":
        return "it needs a file that is not there"
    if kind == "EOFError" and "reading a line" in message:
        return "it reads standard input, which is empty"
    if "Read-only file system" in message:
        return "it writes outside of its own folder"
    offline = (
        "gaierror",
        "URLError",
        "ConnectionError",
        "ProxyError",
        "OfflineModeIsEnabled",
        "LocalEntryNotFoundError",
    )
    if kind in offline or "Network is unreachable" in message:
        return "it needs the network, which is off (--network)"
    if kind == "SystemExit" or (kind == "OSError" and "offline" in ending.errors):
        return "it may need the network, which is off (--network)"
    return ""


def _ended_early(outcome: Outcome, ending: Ending) -> Failure:
    last = _last_line(ending)
    if ending.signal_name is not None:
        return Failure("signal", f"was killed by {ending.signal_name}", ending.signal_name)
    if outcome.how == "unfinished":
        return Failure("status", "was gone before it could say how it ended", "unfinished")
    detail = f": {last}" if last else ""
    missing = "its arguments go after `--`" if ending.status == 2 and "usage:" in ending.errors else ""
    return Failure(
        "status", f"exits with status {ending.status}{detail}", f"status {ending.status}", missing=missing
    )


def _ended(ending: Ending) -> str:
    if ending.signal_name is not None:
        return f"was killed by {ending.signal_name}"
    return f"ended with status {ending.status} before it began"


def _last_line(ending: Ending) -> str:
    lines = [line.strip() for line in ending.errors.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
