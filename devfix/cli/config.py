"""``devfix config``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devfix.cli.options import Plain, PlainFormat, given_path
from devfix.cli.settings_options import takes_settings

if TYPE_CHECKING:
    from devfix.config import Asked


@takes_settings
def config(
    *,
    asked: Asked,
    path: Annotated[
        Path | None,
        typer.Argument(
            parser=given_path, metavar="FILE", help="The file or folder in question. Default: this folder."
        ),
    ] = None,
    output_format: Plain = PlainFormat.TEXT,
) -> None:
    """Say which settings hold for a file and where they come from. Also which rules run on it, and why.

    Exit code 0, or 2 when the settings are wrong.
    """
    from devfix import commands

    raise typer.Exit(commands.config(path or Path(), asked, as_json=output_format is PlainFormat.JSON))
