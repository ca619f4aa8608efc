"""What ``check`` and ``apply`` make of the options that both of them take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devfix.cli.options import OutputFormat

if TYPE_CHECKING:
    from devfix.commands import Options
    from devfix.config import Asked


def options_of(
    *,
    asked: Asked,
    baseline: str | None,
    output_format: OutputFormat | None,
    show_timing: bool,
    no_cache: bool,
    cache_dir: Path | None,
    **own: Any,
) -> Options:
    """The options of a command; ``own`` are fields of theirs as they are."""
    from devfix.commands import Options
    from devfix.timing import Timing

    return Options(
        asked=replace(asked, baseline=baseline, output_format=output_format and output_format.value),
        cached=not no_cache,
        timing=Timing() if show_timing else None,
        cache_dir=cache_dir,
        **own,
    )
