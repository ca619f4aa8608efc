"""Standard streams: as the command line needs them, whatever it was started with."""

from __future__ import annotations

import errno
import os
import sys

#: What a stream answers that nothing can be written to; a reader who has left is none of these.
_REFUSALS = {
    getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EBADF") if hasattr(errno, name)
}


def prepare() -> None:
    """Let what cannot be shown be escaped, and who closed a stream get nothing on it, or give nothing."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - until the end
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as above
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            # A source may hold characters the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")


def given_up(error: Exception) -> bool:
    """Whether an error means that a standard stream takes no more, which is said then where that is still possible."""
    of_a_stream = isinstance(error, OSError) and error.filename is None and error.errno in _REFUSALS
    if not isinstance(error, OSError) or not of_a_stream:
        return False
    nowhere = os.open(os.devnull, os.O_WRONLY)
    # What is still to be written would fail once more when Python ends.
    os.dup2(nowhere, 1)
    try:
        sys.stderr.write(f"error: the output cannot be written: {error.strerror}\n")
        sys.stderr.flush()
    except OSError:
        os.dup2(nowhere, 2)
    return True
