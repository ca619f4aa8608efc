"""Regular files: what is read of a folder that may hold anything; a pipe is not waited for, and nothing endless is read."""

from __future__ import annotations

import errno
import os
import stat

#: Opening a pipe would wait for whoever writes to it.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
#: For files that a link does not stand for.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
#: More than any settings, patterns or baseline have, and little enough to be read.
_MOST = 8 * 2**20


def read_regular(path: str | os.PathLike[str], most: int, *, flags: int = 0) -> bytes:
    """The bytes of a file, or one more than ``most`` of a larger one; raises OSError, also for what is no regular file."""
    descriptor = os.open(path, _FLAGS | flags)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(*_refusal(status), os.fspath(path))
        with open(descriptor, "rb", closefd=False) as file:
            # No more memory than the file has bytes, unless it turns out to have more.
            data = file.read(min(status.st_size, most) + 1) or b""
            return data + (file.read(most + 1 - len(data)) or b"") if len(data) > status.st_size else data
    finally:
        os.close(descriptor)


def _refusal(status: os.stat_result) -> tuple[int, str]:
    if stat.S_ISDIR(status.st_mode):
        return errno.EISDIR, os.strerror(errno.EISDIR)
    return errno.EINVAL, "is not a regular file"


def read_small(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file such as settings are; raises OSError also for one that is too large to be any."""
    data = read_regular(path, _MOST)
    if len(data) > _MOST:
        raise OSError(errno.EFBIG, f"is larger than {_MOST // 2**20} MiB", os.fspath(path))
    return data
