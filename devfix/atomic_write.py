"""Atomic write: a file has its old bytes or its new ones, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile


def may_write(path: str) -> bool:
    """Whether the file at ``path`` is to be changed.

    Renaming over a read-only file would work, but such a file says that it is to stay as it is.
    """
    target = os.path.realpath(path)
    return os.access(target, os.W_OK) and os.access(os.path.dirname(target), os.W_OK)


def write_atomically(path: str, data: bytes) -> None:
    """Replace the content of the existing file at ``path``; raises OSError and then changes nothing.

    The mode, and where possible the owner, are kept; a link is followed and stays a link.
    """
    target = os.path.realpath(path)
    status = os.stat(target)
    folder, name = os.path.split(target)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".devfix", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _take_over(temporary, status)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def write_anywhere(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that need not exist; a device, a pipe or a file that is written in place stays one."""
    target = os.path.realpath(path)
    try:
        is_file = stat.S_ISREG(os.stat(target).st_mode)
    except FileNotFoundError:
        # What replaces it must have the mode that files get here.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT, 0o666))
        is_file = True
    if is_file and may_write(target):
        write_atomically(target, data)
        return
    with open(target, "wb") as file:
        file.write(data)


def _take_over(path: str, status: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, stat.S_IMODE(status.st_mode))


def _sync_folder(folder: str) -> None:
    # Makes the rename last through a power cut; not every system can do this to a folder.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
