"""``devfix check``."""

from __future__ import annotations

from pathlib import Path

import typer

from devfix.cli.options import (
    Color,
    Colour,
    Config,
    Exclude,
    Format,
    Ignore,
    Jobs,
    NoConfig,
    OutputFormat,
    Paths,
    Select,
    StdinName,
    words,
)


def check(
    paths: Paths = None,
    select: Select = None,
    ignore: Ignore = None,
    exclude: Exclude = None,
    output_format: Format = OutputFormat.TEXT,
    jobs: Jobs = None,
    config: Config = None,
    no_config: NoConfig = False,
    stdin_filename: StdinName = "stdin.py",
    color: Colour = Color.AUTO,
) -> None:
    """Report what would fail. Writes nothing.

    Exit code 0 when there are no findings, 1 when there are, 2 on an error.
    """
    from devfix import commands

    options = commands.Options(
        paths=tuple(paths or [Path()]),
        select=words(select),
        ignore=words(ignore),
        exclude=words(exclude),
        output_format=output_format.value,
        jobs=jobs,
        config=config,
        no_config=no_config,
        stdin_filename=stdin_filename,
        color=color.value,
    )
    raise typer.Exit(commands.check(options))
