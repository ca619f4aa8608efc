"""A program at a terminal that is not there: what it shows, and what is typed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

#: How long a program may show nothing before it is taken to hang.
PATIENCE = 120


class Terminal:
    """One end of the terminal that a program runs at."""

    def __init__(self, program: subprocess.Popen[bytes], end: int) -> None:
        self.program = program
        self._end = end
        self.shown = ""

    def until(self, text: str) -> str:
        """What is shown up to ``text``; fails where the program ends or hangs before."""
        found = ""
        while text not in found:
            piece = self._read()
            assert piece, f"{text!r} was not shown, but {found!r}"
            found += piece
        return found

    def type(self, text: str) -> None:
        """Type a text."""
        os.write(self._end, text.encode())

    def rest(self) -> tuple[int, str]:
        """The exit code and all that is still shown."""
        found = ""
        while piece := self._read():
            found += piece
        return self.program.wait(PATIENCE), found

    def _read(self) -> str:
        ready, _, _ = select.select([self._end], [], [], PATIENCE)
        assert ready, f"nothing more was shown after {self.shown!r}"
        try:
            text = os.read(self._end, 65_536).decode(errors="replace").replace("\r\n", "\n")
        except OSError:
            # The other end is closed.
            return ""
        self.shown += text
        return text


@contextlib.contextmanager
def at_terminal(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    size: tuple[int, int] = (0, 0),
) -> Iterator[Terminal]:
    """A program at a terminal of its own, which is where Control-C is heard, of so many rows and columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    program = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - no thread is about
    )
    os.close(theirs)
    try:
        yield Terminal(program, ours)
    finally:
        program.kill()
        program.wait()
        os.close(ours)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
