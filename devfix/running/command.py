"""Command: ``devfix run``, from options to an exit code."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from devfix.guard import guarded
from devfix.report.paint import Paint, paint_for
from devfix.running.account import Account, summary
from devfix.running.child import RunError, run_in_place
from devfix.running.document import render_document
from devfix.running.interpreter import InterpreterError, find_interpreter
from devfix.running.page import render_page
from devfix.running.progress import Progress
from devfix.running.request import Request
from devfix.running.sandboxed import run_in_copy
from devfix.running.text import render_text
from devfix.usage import UsageError


@dataclass(frozen=True, slots=True)
class Wishes:
    """How ``devfix run`` goes about it: the interpreter, and the report; ``quiet`` are devfix's own words, not the program's."""

    python: str | None = None
    report_format: str = "text"
    output: Path | None = None
    quiet: bool = False
    sandbox: bool = False
    color: str = "auto"


def run(request: Request, wishes: Wishes) -> int:
    """Run a program and report what it showed."""
    return guarded(lambda: _run(request, wishes))


def _run(request: Request, wishes: Wishes) -> int:
    try:
        account = _watched(request, wishes)
    except (InterpreterError, RunError) as error:
        raise UsageError(str(error)) from error
    _deliver(account, wishes)
    return account.exit_code


def _watched(request: Request, wishes: Wishes) -> Account:
    if not request.is_module and not os.path.exists(request.program):
        raise UsageError(f"{request.program} does not exist")
    python = find_interpreter(wishes.python, Path.cwd())
    if not wishes.quiet:
        sys.stderr.write(f"devfix runs your code: {python} {' '.join(request.words)}\n")
        sys.stderr.flush()
    streams = _streams(wishes)
    if wishes.sandbox:
        return Account(request, run_in_copy(request, python, Path.cwd(), *streams))
    progress = Progress(sys.stderr, alone=not sys.stdout.isatty(), quiet=wishes.quiet)
    return Account(request, run_in_place(request, python, progress, *streams))


def _streams(wishes: Wishes) -> tuple[TextIO, TextIO]:
    """Where the program's own output goes; a report for machines has standard output to itself."""
    reserved = wishes.report_format != "text" and wishes.output is None
    return sys.stderr if reserved else sys.stdout, sys.stderr


def _deliver(account: Account, wishes: Wishes) -> None:
    if wishes.output is None:
        sys.stdout.write(_rendered(account, wishes, sys.stdout))
        sys.stdout.flush()
        return
    try:
        wishes.output.write_text(_rendered(account, wishes, None), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{wishes.output} cannot be written: {error.strerror}") from error
    if not wishes.quiet:
        sys.stderr.write("\n".join([*summary(account), f"The report is in {wishes.output}."]) + "\n")


def _rendered(account: Account, wishes: Wishes, stream: TextIO | None) -> str:
    if wishes.report_format == "json":
        return render_document(account)
    if wishes.report_format == "html":
        return render_page(account)
    paint = paint_for(wishes.color, stream) if stream is not None else Paint()
    return render_text(account, paint, quiet=wishes.quiet)
