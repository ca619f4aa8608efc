"""``devfix prove``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from devfix.cli.options import (
    Adopt,
    Color,
    Colour,
    On,
    Plain,
    PlainFormat,
    Python,
    ReportFile,
    RunOn,
    Steps,
    Timeout,
    Unsafe,
    given_path,
)
from devfix.cli.settings_options import takes_settings

if TYPE_CHECKING:
    from devfix.config import Asked

_Tolerance = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="NUMBER",
        help="Relative difference allowed where numbers need not be the same. Default: 0.02.",
    ),
]


@takes_settings
def prove(
    *,
    asked: Asked,
    target: Annotated[
        Path, typer.Argument(parser=given_path, metavar="SCRIPT|FOLDER|CORPUS", help="What to prove.")
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGS]", help="Arguments of the script.")
    ] = None,
    on: RunOn = On.AUTO,
    python: Python = None,
    unsafe: Unsafe = False,
    adopt: Adopt = False,
    timeout: Timeout = 300.0,
    memory: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="GIB",
            show_default=False,
            help="Memory limit of each run. Default: 80% of the machine's.",
        ),
    ] = 0.0,
    processes: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Processes that a run may have at a time.")
    ] = 256,
    max_copy: Annotated[
        float, typer.Option(min=0, metavar="GIB", help="The largest folder that is copied.")
    ] = 1.0,
    max_steps: Steps = None,
    network: Annotated[bool, typer.Option("--network", help="Leave the network on.")] = False,
    no_reference: Annotated[
        bool,
        typer.Option("--no-reference", help="Run the program before and after only, and compare no results."),
    ] = False,
    tolerance: _Tolerance = None,
    output_format: Plain = PlainFormat.TEXT,
    output_file: ReportFile = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, metavar="NUMBER", help="Programs to run at a time.")
    ] = 1,
    color: Colour = Color.AUTO,
) -> None:
    """Run programs before and after the fixes, and compare results. Runs your code; writes nothing.

    Every run is a child process in a copy of the folder, with limits, without a network where the system
    allows that, on a GPU or, where there is none, a simulated one. A folder stands for its programs; a
    folder of cases (before.py, after.py, case.toml) for these. Verdicts: fixed, was-fine, still-fails,
    changed-result, cannot-run. Exit code 0 when all is fixed or was fine, 1 when something is not
    proven, 2 on an error.
    """
    from devfix import commands, proving, reporting
    from devfix.proof.inquiry import Wishes

    options = commands.Options(
        asked=replace(asked, adopt=adopt),
        paths=(target,),
        unsafe=unsafe,
        output=reporting.Output(format=output_format.value, file=output_file, color=color.value),
    )
    wishes = Wishes(
        on=on.value,
        python=python,
        seconds=timeout,
        memory=memory,
        processes=processes,
        max_copy=max_copy,
        steps=max_steps,
        network=network,
        on_cpu=not no_reference,
        tolerance=tolerance,
        jobs=jobs,
    )
    raise typer.Exit(proving.prove(options, target, tuple(arguments or ()), wishes))
