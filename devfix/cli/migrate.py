"""``devfix migrate`` and its commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from devfix.cli.old_words import OutputCommand
from devfix.cli.options import Again, CampaignEngine, Color, Colour, ExportFormat, given_path

app = typer.Typer(
    name="migrate",
    help="Apply fixes to many repositories, verified and resumable.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


CampaignPath = Annotated[
    Path, typer.Argument(parser=given_path, metavar="CAMPAIGN", help="The campaign's TOML file.")
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="GLOB", help="Only repositories whose name matches. Repeatable."),
]
Push = Annotated[bool, typer.Option("--push", help="Push the branches.")]
Open = Annotated[
    bool,
    typer.Option("--open", help="Push, and open draft pull requests through gh; update those there are."),
]
Concurrency = Annotated[
    int,
    typer.Option(
        "--concurrency",
        "-j",
        min=0,
        metavar="NUMBER",
        help="Repositories at a time. Default: the campaign's.",
    ),
]
Engine = Annotated[
    CampaignEngine | None,
    typer.Option(
        "--engine", help="Where the work is done: here or on a Ray cluster. Default: the campaign's."
    ),
]


@app.command()
def plan(campaign: CampaignPath) -> None:
    """Check the campaign file, and say what a run would do. Does none of it.

    Exit code 0, or 2 when the file is wrong.
    """
    from devfix.migration import commands

    raise typer.Exit(commands.plan(campaign))


@app.command()
def run(
    campaign: CampaignPath,
    push: Push = False,
    open_: Open = False,
    close: Annotated[
        bool, typer.Option("--close", help="Only close the pull requests that were opened.")
    ] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch the repositories again, as they may have changed.")
    ] = False,
    only: Only = None,
    concurrency: Concurrency = 0,
    engine: Engine = None,
) -> None:
    """Do what is left to do. Pushes nothing unless asked to; run again after any interruption.

    Exit code 0 when there was nothing to change and nothing is found, 1 when there are changes or findings, 2 when
    a repository failed or a file could not be read.
    """
    from devfix.migration import commands
    from devfix.migration.campaign_run import RunWishes

    if close and (push or open_ or refresh):
        raise typer.BadParameter("--close goes alone")
    name = "" if engine is None else engine.value
    wishes = RunWishes(push, open_, close, refresh, frozenset(), tuple(only or ()), concurrency, name)
    raise typer.Exit(commands.run(campaign, wishes))


@app.command()
def retry(
    campaign: CampaignPath,
    which: Annotated[Again, typer.Option("--which", help="Which repositories to try again.")] = Again.FAILED,
    push: Push = False,
    open_: Open = False,
    only: Only = None,
    concurrency: Concurrency = 0,
    engine: Engine = None,
) -> None:
    """Run again, and retry what failed from the step where it failed.

    Exit codes are those of `run`.
    """
    from devfix.migration import commands
    from devfix.migration.campaign_run import RunWishes
    from devfix.migration.reading import Standing

    standings = {
        Again.FAILED: {Standing.FAILED, Standing.TRANSIENT},
        Again.SKIPPED: {Standing.SKIPPED},
        Again.ALL: set(Standing),
    }[which]
    name = "" if engine is None else engine.value
    again = frozenset(standings)
    wishes = RunWishes(push, open_, again=again, only=tuple(only or ()), concurrency=concurrency, engine=name)
    raise typer.Exit(commands.run(campaign, wishes))


@app.command()
def status(campaign: CampaignPath, color: Colour = Color.AUTO) -> None:
    """Show where each repository stands. Exit codes as those of run."""
    from devfix.migration import commands

    raise typer.Exit(commands.status(campaign, color.value))


@app.command(cls=OutputCommand)
def export(
    campaign: CampaignPath,
    output_format: Annotated[
        ExportFormat, typer.Option("--output-format", help="How it is written.")
    ] = ExportFormat.JSON,
    output_file: Annotated[
        Path | None,
        typer.Option(
            "--output-file",
            "-o",
            parser=given_path,
            metavar="FILE",
            help="Write to this file instead of standard output.",
        ),
    ] = None,
) -> None:
    """Write the state for other tools, as JSON or CSV.

    Exit code 0, whatever became of the repositories, or 2 on an error.
    """
    from devfix.migration import commands

    raise typer.Exit(commands.export(campaign, output_format.value, output_file))


@app.command(cls=OutputCommand)
def report(
    campaign: CampaignPath,
    output_file: Annotated[
        Path | None,
        typer.Option(
            "--output-file",
            "-o",
            parser=given_path,
            metavar="FILE",
            help="Where the page is written. Default: report.html beside the state.",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Open it in the browser.")] = False,
) -> None:
    """Write a page that shows the campaign, in a single file.

    Exit code 0, whatever became of the repositories, or 2 on an error.
    """
    from devfix.migration import commands

    raise typer.Exit(commands.report(campaign, output_file, shows=show))
