"""``devfix clean``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from devfix.cli.options import CacheDir, Paths
from devfix.cli.settings_options import takes_settings

if TYPE_CHECKING:
    from devfix.config import Asked


@takes_settings
def clean(*, asked: Asked, paths: Paths = None, cache_dir: CacheDir = None) -> None:
    """Remove the cache that `check` and `apply` keep for these paths.

    Exit code 0, also when there is none, and 2 on an error.
    """
    from devfix import commands

    options = commands.Options(asked=asked, paths=tuple(paths or [Path()]), cache_dir=cache_dir)
    raise typer.Exit(commands.clean(options))
