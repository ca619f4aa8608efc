"""``devfix run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from devfix.cli.options import Color, Colour, Kind, Python, ReportFormat, Steps

RunSeconds = Annotated[
    float | None, typer.Option(min=0.1, metavar="SECONDS", help="Stop each run after this many seconds.")
]
TotalSeconds = Annotated[
    float,
    typer.Option(min=0.1, metavar="SECONDS", help="With --fix: begin no more runs after this many seconds."),
]


def run(
    program: Annotated[
        list[str],
        typer.Argument(
            metavar="SCRIPT|-m MODULE [ARGS]", help="A script, notebook or module, as for Python."
        ),
    ],
    kind: Annotated[Kind, typer.Option("--kind", help="The accelerator to simulate.")] = Kind.CUDA,
    devices: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="How many accelerators to simulate.")
    ] = 1,
    python: Python = None,
    max_seconds: RunSeconds = None,
    max_steps: Steps = None,
    max_total_seconds: TotalSeconds = 1800,
    strict: Annotated[bool, typer.Option("--strict", help="Stop the program at the first mismatch.")] = False,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox", help="Run in a copy of this folder, without a network where possible."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not show what the program prints.")
    ] = False,
    report_format: Annotated[
        ReportFormat, typer.Option("--format", "--output-format", help="The format of the report.")
    ] = ReportFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report to this file instead of standard output."),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what the runs show, and run again until it runs through.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="With --fix: print a patch and write nothing.")
    ] = False,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="With --fix: also apply fixes that change results on the CPU.")
    ] = False,
    color: Colour = Color.AUTO,
) -> None:
    """Run a program on a simulated accelerator; report every mismatch. Runs your code.

    The program runs to its end with true numbers: instead of being raised, mismatches are noted with the
    line where each operand comes from. Copies between host and device, and waits, are counted by
    line. The program's own output is shown as it comes; it goes to standard error where a JSON or HTML
    report is written to standard output. Exit code 0 when there is no mismatch, 1 when there are
    some, 2 when the program fails for another reason or cannot be run.

    With --fix the program is run several times, in copies of its folder, and its files are rewritten
    until it runs through; a program in which no run shows a mismatch is not touched. Exit code 0 when
    nothing is left to fix, 1 when something is (with --diff: or there are changes to make).
    """
    from devfix.running import command
    from devfix.running.invocation import split
    from devfix.running.request import Request

    try:
        is_module, name, arguments = split(program)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    request = Request(
        name,
        arguments,
        is_module=is_module,
        kind=kind.value,
        devices=devices,
        max_seconds=max_seconds,
        max_steps=max_steps,
        strict=strict,
        max_total_seconds=max_total_seconds,
    )
    wishes = command.Wishes(python, report_format.value, output, quiet, sandbox, color.value)
    if fix:
        from devfix.running import fix as fixing

        raise typer.Exit(fixing.fix(request, wishes, diff=diff, unsafe=unsafe))
    if diff or unsafe:
        raise typer.BadParameter("--diff and --unsafe go with --fix")
    raise typer.Exit(command.run(request, wishes))
