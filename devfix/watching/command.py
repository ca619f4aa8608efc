"""The command: check, wait for a change, and check again."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from datetime import datetime

from devfix.commands import Options, report
from devfix.config import ConfigError
from devfix.guard import guarded
from devfix.report.paint import printable
from devfix.report.summary import count_of
from devfix.timing import Timing
from devfix.usage import CommandError, UsageError
from devfix.watching.sight import Sight

#: Seconds from one look to the next.
_INTERVAL = 0.5
#: For so long nothing must change before a check begins: a branch is not checked out at once.
_QUIET = 0.2
#: After so many looks it begins all the same: some file may never come to rest.
_LOOKS = 25
#: Empties a terminal's screen and what is above it.
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"
#: What a shell says of a command that was interrupted.
_INTERRUPTED = 130


def watch(options: Options) -> int:
    """Check whenever something has changed, until interrupted; the exit code is that of the last check."""
    return guarded(lambda: _watch(options))


def _watch(options: Options) -> int:
    _refuse(options)
    code = _INTERRUPTED
    try:
        sight = Sight(options.paths, options.asked)
        while True:
            code, told = _checked(options, sight)
            # Whoever has read this line and ends the watching then gets the code that goes with it.
            _tell(told, sight)
            _wait(sight)
    except KeyboardInterrupt:
        return code


def _refuse(options: Options) -> None:
    wishes = options.wishes
    if options.filters:
        raise UsageError("--watch is for files: standard input is read once")
    if options.output.file is not None:
        raise UsageError("--watch writes to standard output: it does not go with --output-file")
    if wishes.write or wishes.update or wishes.prune or wishes.add_ignore is not None:
        raise UsageError(
            "--watch only reads: it does not go with --write-baseline, --update-baseline, --prune-baseline or --add-ignore"
        )


def _checked(options: Options, sight: Sight) -> tuple[int, str]:
    """One check, its exit code and what came of it; what is wrong with the settings is told, and may be mended."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        sys.stdout.write(_CLEAR)
    try:
        _, results = report(replace(options, timing=options.timing and Timing()))
    except CommandError as error:
        sys.stderr.write(f"error: {printable(str(error))}\n")
        sight.add(error.files if isinstance(error, ConfigError) else ())
        return 2, "not checked"
    sight.add(results.sources)
    found = count_of(len(results.findings), "finding")
    return results.exit_code, f"{found}, and errors" if results.has_faults else found


def _tell(told: str, sight: Sight) -> None:
    sys.stdout.flush()
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    sys.stderr.write(f"{now} {told}; watching {count_of(len(sight), 'file')}, Ctrl-C ends\n")
    sys.stderr.flush()


def _wait(sight: Sight) -> None:
    """Wait for a change, and then until there is none for a while."""
    while not sight.changed():
        time.sleep(_INTERVAL)
    for _ in range(_LOOKS):
        time.sleep(_QUIET)
        if not sight.changed():
            return
