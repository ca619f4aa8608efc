"""Reporting: from results to what stands on the streams or in a file, in the format that was asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from devfix.atomic_write import write_anywhere
from devfix.deferred import Deferred
from devfix.engine import Engine
from devfix.report.faults import render_faults
from devfix.report.formats import renderer
from devfix.report.paint import Paint, paint_for, paint_of_patch
from devfix.report.results import ExitPolicy, Results
from devfix.report.statistics import render_statistics, render_statistics_json
from devfix.report.view import View
from devfix.usage import UsageError

#: The formats that counts by rule have.
_COUNTED = ("text", "concise", "json")


@dataclass(frozen=True, slots=True)
class Output:
    """How and where results are written, as the user asked for it."""

    format: str = "text"
    file: Path | None = None
    color: str = "auto"
    statistics: bool = False
    show_fixes: bool = False
    quiet: bool = False
    policy: ExitPolicy = field(default_factory=ExitPolicy)

    def check(self) -> None:
        """Raise UsageError, before any file is read, where the wishes do not go together."""
        if self.statistics and self.format not in _COUNTED:
            raise UsageError(f"--statistics is written as {', '.join(_COUNTED)}, not as {self.format}")
        if self.file is not None and self.file.is_dir():
            raise UsageError(f"--output-file: {self.file} cannot be written: it is a folder")
        folder = None if self.file is None else self.file.absolute().parent
        if folder is not None and not folder.is_dir():
            raise UsageError(f"--output-file: {self.file} cannot be written: there is no folder {folder}")

    def paint_for(self, stream: TextIO) -> Paint:
        """Colours for a stream, or none."""
        return paint_for(self.color, stream)

    def paint_of_patch(self, stream: TextIO) -> Paint:
        """Colours for a patch, or none."""
        return paint_of_patch(self.color, stream)

    def paint_of_report(self, stream: TextIO) -> Paint:
        """Colours for the report: a file is no terminal, whatever the stream would have been."""
        return self.paint_for(stream) if self.file is None else Paint(self.color == "always")


def write_results(results: Results, output: Output, engine: Engine, stream: TextIO) -> None:
    """Write the results to the stream or the file, and what was not looked at to standard error."""
    write_report(rendered(results, output, engine, stream), output, stream)
    report_faults(results, output)


def write_report(text: str, output: Output, stream: TextIO) -> None:
    """Write a text where reports go; raises UsageError where that cannot be."""
    if output.file is None:
        stream.write(text)
        stream.flush()
        return
    try:
        write_anywhere(output.file, text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise UsageError(f"--output-file: {output.file} cannot be written: {error.strerror}") from error


def report_faults(results: Results, output: Output) -> None:
    """Say on standard error what was not looked at."""
    excerpts = output.format == "text" and not output.statistics
    sys.stderr.write(render_faults(results, output.paint_for(sys.stderr), excerpts=excerpts))
    if not results.reports:
        sys.stderr.write("warning: there are no Python files or notebooks here\n")


def rendered(results: Results, output: Output, engine: Engine, stream: TextIO) -> str:
    """The results in the format that was asked for."""
    paint = output.paint_of_report(stream)
    if output.statistics:
        return (
            render_statistics_json(results) if output.format == "json" else render_statistics(results, paint)
        )
    paths = [report.path for report in results.reports]
    rules = Deferred(lambda: engine.selection.active_in(paths))
    view = View(paint, rules, engine.edited, output.show_fixes, output.quiet)
    return renderer(output.format)(results, view)


def write_bytes(data: bytes) -> None:
    """Write to standard output what must not be encoded anew."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
