"""Guard: what the user got wrong ends a command with a message; it knows no command, and so waits for none to be imported."""

from __future__ import annotations

import sys
from collections.abc import Callable

from devfix.report.paint import printable
from devfix.usage import CommandError

#: The exit code of a command that could not do what it was asked for.
ERROR = 2


def guarded(command: Callable[[], int]) -> int:
    """Run a command; what the user got wrong ends it with a message and exit code 2."""
    try:
        return command()
    except CommandError as error:
        sys.stderr.write(f"error: {printable(str(error))}\n")
        return ERROR
