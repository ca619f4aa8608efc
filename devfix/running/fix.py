"""Fix: ``devfix run --fix``, from options to an exit code."""

from __future__ import annotations

import sys
from pathlib import Path

from devfix.commands import Options, engine_of
from devfix.guard import guarded
from devfix.proof.subject import SubjectError
from devfix.report.diff import render_diff
from devfix.report.paint import Paint, paint_for, paint_of_patch
from devfix.reporting import write_bytes
from devfix.running.child import RunError
from devfix.running.command import Wishes
from devfix.running.interpreter import InterpreterError, find_interpreter
from devfix.running.mended import render_mending, render_mending_json
from devfix.running.mending import Mending, mend
from devfix.running.request import Request
from devfix.usage import UsageError


def fix(request: Request, wishes: Wishes, *, diff: bool, unsafe: bool) -> int:
    """Mend a program by what its runs show, or with ``diff`` say how."""
    return guarded(lambda: _fix(request, wishes, diff=diff, unsafe=unsafe))


def _fix(request: Request, wishes: Wishes, *, diff: bool, unsafe: bool) -> int:
    if wishes.report_format == "html":
        raise UsageError("--fix reports as text or JSON")
    engine = engine_of(Options((Path() if request.is_module else Path(request.program),)))
    _ = engine.selection  # settings that name no rule are found before anything runs
    try:
        python = find_interpreter(wishes.python, Path.cwd())
        tell = _keep_quiet if wishes.quiet else _tell
        tell(f"devfix runs your code, in a copy of its folder: {python} {' '.join(request.words)}")
        mending = mend(request, python, engine, tell, unsafe=unsafe, write=not diff)
    except (InterpreterError, RunError, SubjectError) as error:
        raise UsageError(str(error)) from error
    _deliver(mending, wishes, diff=diff)
    return mending.exit_code


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _keep_quiet(_: str) -> None:
    pass


def _deliver(mending: Mending, wishes: Wishes, *, diff: bool) -> None:
    """With a patch on standard output all else goes to standard error."""
    if diff:
        write_bytes(render_diff(mending.results, paint_of_patch(wishes.color, sys.stdout)))
    stream = sys.stderr if diff else sys.stdout
    as_json = wishes.report_format == "json"
    if wishes.output is not None:
        text = (
            render_mending_json(mending) if as_json else render_mending(mending, Paint(), quiet=wishes.quiet)
        )
        try:
            wishes.output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{wishes.output} cannot be written: {error.strerror}") from error
        return
    paint = paint_for(wishes.color, stream)
    stream.write(
        render_mending_json(mending) if as_json else render_mending(mending, paint, quiet=wishes.quiet)
    )
    stream.flush()
