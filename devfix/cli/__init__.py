"""The command line: one module for each command or family of commands; they parse and call."""

from __future__ import annotations

import gc
import sys
import traceback
from typing import Annotated

import typer

from devfix import ending
from devfix.cli import (
    apply,
    check,
    clean,
    config,
    lsp,
    migrate,
    new_rule,
    prove,
    rules,
    run,
    standard_streams,
)
from devfix.cli.usage_errors import Commands

# What the commands need is imported inside them: `devfix --help` must not wait for it.

#: How many objects are made before garbage is looked for, and how many such looks come before a thorough one.
_SELDOM = (200_000, 20, 100)

app = typer.Typer(
    name="devfix",
    cls=Commands,
    help="Find PyTorch code that dies on an accelerator with a device or dtype mismatch, and fix it.",
    epilog="Exit codes: 0 clean, 1 findings or changes, 2 error (usage, settings, a file that cannot be read).",
    no_args_is_help=True,
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


# In the order of the help text.
app.command(cls=check.CheckCommand)(check.check)
app.command()(apply.apply)
app.command()(prove.prove)
app.command()(rules.rules)
app.command()(rules.explain)
app.command()(config.config)
app.command()(new_rule.new_rule)
app.command(cls=run.RunCommand, context_settings={"allow_interspersed_args": False})(run.run)
app.command()(clean.clean)
app.command()(lsp.lsp)
app.add_typer(migrate.app)


def main() -> None:
    """Run the command line; a defect of devfix itself ends in exit code 2, never in 1."""
    standard_streams.prepare()
    ending.own_process()
    # A quarter of the time of a small check went into looking for garbage, most of it in what was being imported.
    gc.set_threshold(*_SELDOM)
    try:
        app(prog_name="devfix")
    except Exception as error:
        if not standard_streams.given_up(error):
            traceback.print_exc()
        sys.exit(2)
    finally:
        # What is there when the process ends goes with it.
        gc.freeze()
