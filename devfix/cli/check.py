"""``devfix check``."""

from __future__ import annotations

from pathlib import Path

import typer

from devfix.cli.options import (
    CacheDir,
    Color,
    Colour,
    ExitZero,
    Format,
    Jobs,
    NoCache,
    OutputFile,
    OutputFormat,
    Paths,
    Statistics,
    StdinName,
)
from devfix.cli.settings_options import takes_settings
from devfix.config import Asked


@takes_settings
def check(
    *,
    asked: Asked,
    paths: Paths = None,
    output_format: Format = OutputFormat.TEXT,
    output_file: OutputFile = None,
    statistics: Statistics = False,
    exit_zero: ExitZero = False,
    jobs: Jobs = None,
    stdin_filename: StdinName = "stdin.py",
    color: Colour = Color.AUTO,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
) -> None:
    """Report what would fail. Writes nothing.

    Exit code 0 when there are no findings, 1 when there are, 2 on an error.
    """
    from devfix import commands, reporting
    from devfix.report.results import ExitPolicy

    options = commands.Options(
        asked=asked,
        paths=tuple(paths or [Path()]),
        output=reporting.Output(
            format=output_format.value,
            file=output_file,
            color=color.value,
            statistics=statistics,
            policy=ExitPolicy(exit_zero),
        ),
        jobs=jobs,
        stdin_filename=stdin_filename,
        cached=not no_cache,
        cache_dir=cache_dir,
    )
    raise typer.Exit(commands.check(options))
