"""The command line: parse, call, render."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from devfix.cli_options import (
    Color,
    Colour,
    Config,
    ErrorFormat,
    Exclude,
    Format,
    Ignore,
    Jobs,
    Kind,
    NoConfig,
    On,
    OutputFormat,
    Paths,
    Python,
    ReportFormat,
    RunOn,
    Select,
    StdinName,
    Steps,
    Timeout,
)
from devfix.migrate_cli import app as migrate_app
from devfix.running.invocation import ProgramCommand

# What the commands need is imported inside them: `devfix --help` must not wait for it.

app = typer.Typer(
    name="devfix",
    help="Find PyTorch code that dies on an accelerator with a device or dtype mismatch, and fix it.",
    epilog="Exit codes: 0 clean, 1 findings or changes, 2 error (usage, settings, a file that cannot be read).",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        from devfix import __version__

        typer.echo(f"devfix {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command()
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
        select=_split(select),
        ignore=_split(ignore),
        exclude=_split(exclude),
        output_format=output_format.value,
        jobs=jobs,
        config=config,
        no_config=no_config,
        stdin_filename=stdin_filename,
        color=color.value,
    )
    raise typer.Exit(commands.check(options))


@app.command()
def apply(
    paths: Paths = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print a patch and write nothing.")] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe", help="Apply unsafe fixes too.")] = False,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Let a program that never chooses a device choose one.")
    ] = False,
    prove: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COMMAND",
            help='Run this script ("train.py --epochs 1") or folder, and write only what it proves. Repeatable.',
        ),
    ] = None,
    on: RunOn = On.AUTO,
    python: Python = None,
    timeout: Timeout = 300.0,
    max_steps: Steps = None,
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
    """Apply the safe fixes, and report what remains.

    Exit code 0 when every finding was fixed, 1 when some remain (with --diff: or when there are
    changes to make; with --prove: or something is not proven), 2 on an error. With --diff the patch
    goes to standard output and all else to standard error. `-` writes the fixed text to standard
    output. With --prove, which runs your code as `devfix prove` does, only what belongs to a proven
    program is written.
    """
    from devfix import commands

    options = commands.Options(
        paths=tuple(paths or ([] if prove else [Path()])),
        diff=diff,
        unsafe=unsafe,
        adopt=adopt,
        select=_split(select),
        ignore=_split(ignore),
        exclude=_split(exclude),
        output_format=output_format.value,
        jobs=jobs,
        config=config,
        no_config=no_config,
        stdin_filename=stdin_filename,
        color=color.value,
    )
    if prove:
        from devfix import proving
        from devfix.proof.inquiry import Wishes

        wishes = Wishes(on.value, python, timeout, steps=max_steps)
        raise typer.Exit(proving.apply_if_proven(options, prove, wishes))
    raise typer.Exit(commands.apply(options))


@app.command()
def prove(
    target: Annotated[Path, typer.Argument(metavar="SCRIPT|FOLDER|CORPUS", help="What to prove.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGS]", help="Arguments of the script.")
    ] = None,
    on: RunOn = On.AUTO,
    python: Python = None,
    unsafe: Annotated[bool, typer.Option("--unsafe", help="Try unsafe fixes too.")] = False,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Let a program that never chooses a device choose one.")
    ] = False,
    timeout: Timeout = 300.0,
    memory: Annotated[
        float, typer.Option(min=0, metavar="GIB", help="Memory of each run. Default: 80% of the machine's.")
    ] = 0.0,
    processes: Annotated[int, typer.Option(min=1, help="Processes that a run may have at a time.")] = 256,
    max_copy: Annotated[
        float, typer.Option(min=0, metavar="GIB", help="How much of a folder is copied.")
    ] = 1.0,
    max_steps: Steps = None,
    network: Annotated[bool, typer.Option("--network", help="Leave the network on.")] = False,
    no_reference: Annotated[
        bool, typer.Option("--no-reference", help="Run before and after only, and compare no results.")
    ] = False,
    tolerance: Annotated[
        float | None,
        typer.Option(
            min=0, help="Relative difference allowed where numbers need not be the same. Default: 0.02."
        ),
    ] = None,
    select: Select = None,
    ignore: Ignore = None,
    exclude: Exclude = None,
    output_format: Format = OutputFormat.TEXT,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Programs to run at a time.")] = 1,
    config: Config = None,
    no_config: NoConfig = False,
    color: Colour = Color.AUTO,
) -> None:
    """Run programs before and after the fixes, and say what that proves. Runs your code; writes nothing.

    Every run is a child process in a copy of the folder, with limits, without a network where the system
    allows that, on a GPU or, where there is none, a simulated one. A folder stands for its programs; a
    folder of cases (before.py, after.py, case.toml) for these. Verdicts: fixed, was-fine, still-fails,
    changed-result, cannot-run. Exit code 0 when all is fixed or was fine, 1 when something is not
    proven, 2 on an error.
    """
    from devfix import commands, proving
    from devfix.proof.inquiry import Wishes

    options = commands.Options(
        paths=(target,),
        unsafe=unsafe,
        adopt=adopt,
        select=_split(select),
        ignore=_split(ignore),
        exclude=_split(exclude),
        output_format=output_format.value,
        config=config,
        no_config=no_config,
        color=color.value,
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


@app.command()
def rules(output_format: Format = OutputFormat.TEXT) -> None:
    """List the rules: code, name, how far the fix can be trusted, and what is wrong."""
    from devfix import commands

    raise typer.Exit(commands.rules(output_format.value))


@app.command()
def explain(
    rule: Annotated[str | None, typer.Argument(help="A rule's code or name.")] = None,
    error: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Explain the error in this text instead; `-` reads standard input."
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the files of the traceback are.")
    ] = None,
    output_format: Annotated[ErrorFormat, typer.Option("--output-format")] = ErrorFormat.TEXT,
    color: Colour = Color.AUTO,
) -> None:
    """Show a rule's page, or say what a pasted error means and how it is fixed.

    With --error the exit code is 0 when the error is explained, 1 when it is not recognised, 2 when
    there is nothing that reads as an error.
    """
    if (rule is None) == (error is None):
        raise typer.BadParameter("give either a rule or --error FILE")
    if error is None:
        from devfix import commands

        raise typer.Exit(commands.explain(rule or ""))
    from devfix.tracebacks import command

    raise typer.Exit(command.explain_error(command.Options(error, source, output_format.value, color.value)))


@app.command(cls=ProgramCommand, context_settings={"allow_interspersed_args": False})
def run(
    program: Annotated[
        list[str],
        typer.Argument(
            metavar="SCRIPT|-m MODULE [ARGS]", help="A script, notebook or module, as for Python."
        ),
    ],
    kind: Annotated[Kind, typer.Option("--kind", help="The accelerator to simulate.")] = Kind.CUDA,
    devices: Annotated[int, typer.Option(min=1, help="How many there are.")] = 1,
    python: Python = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=0.1, help="Stop the program after so many seconds.")
    ] = None,
    max_steps: Steps = None,
    max_total_seconds: Annotated[
        float,
        typer.Option(min=0.1, metavar="SECONDS", help="With --fix: begin no more runs after so many."),
    ] = 1800,
    strict: Annotated[bool, typer.Option("--strict", help="Stop the program at the first mismatch.")] = False,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox", help="Run in a copy of this folder, without a network where possible."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not show what the program prints.")
    ] = False,
    report_format: Annotated[
        ReportFormat, typer.Option("--format", "--output-format", help="How the report is written.")
    ] = ReportFormat.TEXT,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report there.")] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what the runs show, and run again until it runs through.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="With --fix: print a patch and write nothing.")
    ] = False,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="With --fix: also where its results on the CPU change.")
    ] = False,
    color: Colour = Color.AUTO,
) -> None:
    """Run a program on a simulated accelerator, and report every mismatch it meets. Runs your code.

    The program runs to its end with true numbers: mismatches are written down, with the line where each
    operand comes from, instead of raised. Copies between host and device, and waits, are counted by
    line. Its own output is shown as it comes; reports as JSON or HTML have standard output to
    themselves, and it goes to standard error. Exit code 0 when there is no mismatch, 1 when there are
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


@app.command()
def lsp(
    stdio: Annotated[  # noqa: ARG001 - there is no other way
        bool, typer.Option("--stdio", hidden=True, help="As many editors call a server.")
    ] = True,
) -> None:
    """Serve an editor: the Language Server Protocol over standard input and output. Runs no code of yours.

    Only the commands devfix.run and devfix.showProof, which the editor's user calls, run a program.
    """
    try:
        import pygls  # noqa: F401 - only whether it is there
    except ImportError:
        sys.stderr.write("error: the language server needs more packages: pip install 'devfix[lsp]'\n")
        raise typer.Exit(2) from None
    from devfix.lsp.server import serve

    serve()


app.add_typer(migrate_app)


def _split(values: list[str] | None) -> tuple[str, ...]:
    return tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())


def main() -> None:
    """Run the command line; a defect of devfix itself ends in exit code 2, never in 1."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A source may hold characters the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="devfix")
    except Exception:
        traceback.print_exc()
        sys.exit(2)
