"""``devfix run``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from devfix.cli.old_words import OutputCommand, renewed
from devfix.cli.options import Color, Colour, Kind, Python, ReportFile, ReportFormat, Steps
from devfix.running.invocation import ProgramCommand, misplaced, split

if TYPE_CHECKING:
    from devfix.running.request import Request

RunSeconds = Annotated[
    float | None, typer.Option(min=0.1, metavar="SECONDS", help="How long each run may take.")
]
TotalSeconds = Annotated[
    float,
    typer.Option(min=0.1, metavar="SECONDS", help="With --fix: begin no more runs after this many seconds."),
]


class RunCommand(ProgramCommand):
    """The command, which understands what its options were called once; a program keeps its words as they are."""

    OLD: ClassVar[Mapping[str, str]] = {
        **OutputCommand.OLD,
        "--max-seconds": "--timeout",
        "--max-total-seconds": "--total-timeout",
    }

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the old words for the new ones."""
        words = renewed(args, self.OLD)
        number = self.program_at(ctx, words)
        return super().parse_args(ctx, [*words[:number], *args[number:]])


def run(
    context: typer.Context,
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
    timeout: RunSeconds = None,
    max_steps: Steps = None,
    total_timeout: TotalSeconds = 1800,
    strict: Annotated[bool, typer.Option("--strict", help="Stop the program at the first mismatch.")] = False,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox", help="Run in a copy of this folder, without a network where possible."),
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Show what is wrong, and what the program prints; nothing else."),
    ] = False,
    report_format: Annotated[
        ReportFormat, typer.Option("--output-format", help="The format of the report.")
    ] = ReportFormat.TEXT,
    output_file: ReportFile = None,
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
        max_seconds=timeout,
        max_steps=max_steps,
        strict=strict,
        max_total_seconds=total_timeout,
    )
    _tell_misplaced(context, request)
    wishes = command.Wishes(python, report_format.value, output_file, quiet, sandbox, color.value)
    if fix:
        from devfix.running import fix as fixing

        raise typer.Exit(fixing.fix(request, wishes, diff=diff, unsafe=unsafe))
    if diff or unsafe:
        raise typer.BadParameter("--diff and --unsafe go with --fix")
    raise typer.Exit(command.run(request, wishes))


def _tell_misplaced(context: typer.Context, request: Request) -> None:
    """Say which of devfix's own options stand behind the program, which gets them."""
    own = [option for each in context.command.params for option in each.opts if option.startswith("--")]
    for option in misplaced(own, request):
        typer.echo(
            f"note: {option} stands behind the program, which gets it; devfix's own options stand before it",
            err=True,
        )
