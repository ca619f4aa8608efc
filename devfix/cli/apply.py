"""``devfix apply``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from devfix.cli.looking import options_of
from devfix.cli.options import (
    Adopt,
    Baseline,
    BaselineCommit,
    CacheDir,
    Color,
    Colour,
    Diff,
    ExitZero,
    FormatOfSettings,
    Interactive,
    Jobs,
    NoBaseline,
    NoCache,
    NonZeroOnFix,
    On,
    OutputFile,
    Paths,
    ProvenBy,
    Python,
    Quiet,
    RunOn,
    ShowFixes,
    ShowTiming,
    Statistics,
    StdinName,
    Steps,
    Timeout,
    Unsafe,
)
from devfix.cli.settings_options import takes_settings

if TYPE_CHECKING:
    from devfix.config import Asked


@takes_settings
def apply(
    *,
    asked: Asked,
    paths: Paths = None,
    diff: Diff = False,
    unsafe: Unsafe = False,
    adopt: Adopt = False,
    interactive: Interactive = False,
    prove: ProvenBy = None,
    on: RunOn = On.AUTO,
    python: Python = None,
    timeout: Timeout = 300.0,
    max_steps: Steps = None,
    output_format: FormatOfSettings = None,
    output_file: OutputFile = None,
    quiet: Quiet = False,
    statistics: Statistics = False,
    show_fixes: ShowFixes = False,
    exit_zero: ExitZero = False,
    exit_non_zero_on_fix: NonZeroOnFix = False,
    baseline: Baseline = None,
    no_baseline: NoBaseline = False,
    baseline_commit: BaselineCommit = None,
    jobs: Jobs = None,
    stdin_filename: StdinName = "stdin.py",
    color: Colour = Color.AUTO,
    show_timing: ShowTiming = False,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
) -> None:
    """Apply the safe fixes, and report what remains.

    Exit code 0 when every finding was fixed, 1 when some remain (with --diff: or when there are
    changes to make; with --prove: or something is not proven), 2 on an error. With --diff the patch
    goes to standard output and all else to standard error. `-` writes the fixed text to standard
    output. With --prove, which runs your code as `devfix prove` does, only what belongs to a proven
    program is written. What a baseline knows is left as it is.
    """
    from devfix import commands, reporting
    from devfix.baseline.wishes import Wishes
    from devfix.report.results import ExitPolicy

    options = options_of(
        asked=replace(asked, adopt=adopt),
        baseline=baseline,
        output_format=output_format,
        wishes=Wishes(commit=baseline_commit, off=no_baseline),
        paths=tuple(paths or ([] if prove else [Path()])),
        diff=diff,
        unsafe=unsafe,
        interactive=interactive,
        output=reporting.Output(
            file=output_file,
            color=color.value,
            quiet=quiet,
            statistics=statistics,
            show_fixes=show_fixes,
            policy=ExitPolicy(exit_zero, exit_non_zero_on_fix),
        ),
        jobs=jobs,
        stdin_filename=stdin_filename,
        show_timing=show_timing,
        no_cache=no_cache,
        cache_dir=cache_dir,
    )
    if prove and interactive:
        raise typer.BadParameter("--interactive does not go with --prove")
    if prove:
        from devfix import proving
        from devfix.proof import inquiry

        wishes = inquiry.Wishes(on.value, python, timeout, steps=max_steps)
        raise typer.Exit(proving.apply_if_proven(options, prove, wishes))
    raise typer.Exit(commands.apply(options))
