"""``devfix rules`` and ``devfix explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from devfix.cli import completion
from devfix.cli.options import Color, Colour, Plain, PlainFormat, given_name, given_path


def rules(
    output_format: Plain = PlainFormat.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --output-format json.")] = False,
) -> None:
    """List the rules: code, name, trust in the fix, and what is wrong.

    As JSON with the family, whether it runs by default, since which version, and the whole page. Exit code 0, or 2 when
    rules of an installed pack cannot be loaded; the others are listed all the same.
    """
    from devfix import commands

    raise typer.Exit(commands.rules("json" if as_json else output_format.value))


def explain(
    rule: Annotated[
        str | None,
        typer.Argument(metavar="RULE", help="A rule's code or name.", autocompletion=completion.rule),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(
            parser=given_name,
            metavar="FILE",
            help="Explain the error in this text instead; `-` reads standard input.",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            parser=given_path, metavar="FOLDER", help="Where to look for the files that the traceback names."
        ),
    ] = None,
    output_format: Annotated[PlainFormat, typer.Option("--output-format")] = PlainFormat.TEXT,
    color: Colour = Color.AUTO,
) -> None:
    """Show a rule's page, or say what a pasted error means. With --error also how it is fixed.

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
