"""Usage errors: what the parser of the command line has to say, in the form of all other errors of devfix."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from devfix.report.paint import printable

#: Where it is defined depends on the version of typer; all of them derive this from it.
_ClickException = next(each for each in typer.BadParameter.__mro__ if each.__name__ == "ClickException")


class Commands(TyperGroup):
    """The commands of devfix."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse the words before the command."""
        with _told():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Parse the words after the command, and run it."""
        with _told():
            return super().invoke(ctx)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not isinstance(error, _ClickException):
            raise
        told = io.StringIO()
        error.show(told)  # type: ignore[attr-defined]
        lines = re.sub(r"^Error: ", "error: ", told.getvalue(), count=1, flags=re.MULTILINE).splitlines()
        sys.stderr.writelines(f"{printable(line)}\n" for line in lines)
        raise typer.Exit(error.exit_code) from None  # type: ignore[attr-defined]
