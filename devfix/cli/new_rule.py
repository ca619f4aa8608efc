"""``devfix new-rule``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from devfix.cli.options import given_path


def new_rule(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The name of the rule: the bad pattern, such as `moved-without-device`."
        ),
    ],
    pack: Annotated[
        Path,
        typer.Option(
            "--pack",
            parser=given_path,
            metavar="FOLDER",
            help="The pack it belongs to; made if it is not there.",
        ),
    ] = Path(),
    code: Annotated[
        str | None, typer.Option(metavar="CODE", help="Its code, such as ACME101. Default: the next one.")
    ] = None,
) -> None:
    """Make a rule of your own: its file, a case and a test. They pass as they are.

    Exit code 0 when the files were made, 2 when they cannot be.
    """
    from devfix.new_rule import PackError, make

    try:
        made = make(name, pack, code)
    except PackError as error:
        sys.stderr.write(f"error: {error}\n")
        raise typer.Exit(2) from None
    sys.stdout.writelines(f"{path}\n" for path in made)
    there = f"cd {pack} && " if pack != Path() else ""
    sys.stdout.write(f"\nNext: {there}python -m pip install -e '.[dev]' && python -m pytest\n")
