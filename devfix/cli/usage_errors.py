"""Usage errors: what the parser of the command line has to say, in the form of all other errors of devfix."""

from __future__ import annotations

import io
import os
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
        text = re.sub(r"^Error: ", "error: ", told.getvalue(), count=1, flags=re.MULTILINE)
        lines = f"{text.rstrip()}{_file_that_was_meant(error)}".splitlines()
        sys.stderr.writelines(f"{printable(line)}\n" for line in lines)
        raise typer.Exit(error.exit_code) from None  # type: ignore[attr-defined]


def _file_that_was_meant(error: Exception) -> str:
    """How a file is named that begins as options do, where there is one."""
    option = getattr(error, "option_name", None)
    words = [word for word in sys.argv[1:] if isinstance(option, str) and word.startswith(option)]
    return next((f"; the file is `./{word}`" for word in words if os.path.isfile(word)), "")
