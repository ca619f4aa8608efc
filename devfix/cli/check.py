"""``devfix check``."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from devfix.cli.looking import options_of
from devfix.cli.options import (
    Baseline,
    BaselineCommit,
    CacheDir,
    Color,
    Colour,
    ExitZero,
    FormatOfSettings,
    Jobs,
    NoBaseline,
    NoCache,
    OutputFile,
    Paths,
    PruneBaseline,
    Quiet,
    ShowTiming,
    Statistics,
    StdinName,
    UpdateBaseline,
    WriteBaseline,
)
from devfix.cli.settings_options import takes_settings

if TYPE_CHECKING:
    from devfix.config import Asked

_ELSEWHERE = {
    "--fix": "`devfix apply` does",
    "--diff": "`devfix apply --diff` shows what would be changed",
    "--unsafe": "`devfix apply --unsafe` does",
    "--unsafe-fixes": "`devfix apply --unsafe` does",
    "--adopt": "`devfix apply --adopt --diff` shows what would be changed",
}


class CheckCommand(TyperCommand):
    """A command with an option whose value may be left out; a word behind it is a path.

    What other tools' ``check`` takes for a fix is the work of another command here, and is answered with that one.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give the option the empty value where it has none."""
        for word in takewhile(lambda each: each != "--", args):
            if word in _ELSEWHERE:
                ctx.fail(f"No such option: {word}; `check` fixes nothing, {_ELSEWHERE[word]}")
        return super().parse_args(ctx, ["--add-ignore=" if word == "--add-ignore" else word for word in args])


@takes_settings
def check(
    *,
    asked: Asked,
    paths: Paths = None,
    output_format: FormatOfSettings = None,
    output_file: OutputFile = None,
    quiet: Quiet = False,
    statistics: Statistics = False,
    exit_zero: ExitZero = False,
    baseline: Baseline = None,
    no_baseline: NoBaseline = False,
    baseline_commit: BaselineCommit = None,
    write_baseline: WriteBaseline = False,
    update_baseline: UpdateBaseline = False,
    prune_baseline: PruneBaseline = False,
    add_ignore: Annotated[
        str | None,
        typer.Option(
            metavar="[=REASON]",
            help="Write suppression comments for all findings into the files, with a reason if one is given.",
        ),
    ] = None,
    jobs: Jobs = None,
    stdin_filename: StdinName = "stdin.py",
    color: Colour = Color.AUTO,
    show_timing: ShowTiming = False,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Check again whenever a file changes, until Ctrl-C.")
    ] = False,
) -> None:
    """Report what would fail. Writes nothing except a baseline or comments that are asked for.

    Exit code 0 when there are no findings, 1 when there are, 2 on an error.
    """
    from devfix import commands, ending, reporting
    from devfix.baseline.wishes import Wishes
    from devfix.report.results import ExitPolicy

    options = options_of(
        asked=asked,
        baseline=baseline,
        output_format=output_format,
        wishes=Wishes(
            write=write_baseline,
            update=update_baseline,
            prune=prune_baseline,
            commit=baseline_commit,
            off=no_baseline,
            add_ignore=add_ignore,
        ),
        paths=tuple(paths or [Path()]),
        output=reporting.Output(
            file=output_file,
            color=color.value,
            quiet=quiet,
            statistics=statistics,
            policy=ExitPolicy(exit_zero),
        ),
        jobs=jobs,
        stdin_filename=stdin_filename,
        show_timing=show_timing,
        no_cache=no_cache,
        cache_dir=cache_dir,
    )
    if watch:
        from devfix.watching.command import watch as watch_files

        raise typer.Exit(watch_files(options))
    if options.wishes == Wishes():
        ending.sole_task()
    raise typer.Exit(commands.check(options))
