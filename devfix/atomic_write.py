"""Atomic write: a file has its old bytes or its new ones, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile

from devfix.alive import is_running

#: What files that wait to take the place of others are called: the process that writes them is part of it.
_PREFIX, _SUFFIX = ".devfix-", ".tmp"
_LEFTOVER = re.compile(r"\.devfix-([1-9]\d{0,8})-\w+\.tmp")


def may_write(path: str) -> bool:
    """Whether the file at ``path`` is to be changed.

    Renaming over a read-only file would work, but such a file says that it is to stay as it is.
    """
    target = os.path.realpath(path)
    return os.access(target, os.W_OK) and os.access(os.path.dirname(target), os.W_OK)


class Replacement:
    """New content that waits on the disk beside its file, so that nothing is left to do but a rename.

    The mode, the extended attributes and, where possible, the owner are those of the file; a link is followed
    and stays a link. Of several names of one file (hard links) the others keep the old content.
    """

    def __init__(self, path: str, data: bytes) -> None:
        """Write the content to the disk; raises OSError, and then leaves nothing behind."""
        self._target = os.path.realpath(path)
        self._folder = os.path.dirname(self._target)
        status = os.stat(self._target)
        descriptor, self._temporary = tempfile.mkstemp(
            prefix=f"{_PREFIX}{os.getpid()}-", suffix=_SUFFIX, dir=self._folder
        )
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                # What was opened, since another user's folder may hold something else by that name meanwhile.
                opened = file.fileno() if os.chmod in os.supports_fd else self._temporary
                _take_over(opened, self._target, status)
                os.fsync(file.fileno())
        except BaseException:
            self.discard()
            raise

    def take_place(self) -> None:
        """Put the content in the place of the old one; raises OSError and then changes nothing."""
        try:
            os.replace(self._temporary, self._target)
        except BaseException:
            self.discard()
            raise
        _sync_folder(self._folder)

    def discard(self) -> None:
        """Take back what was written, unless it is in its place already."""
        with contextlib.suppress(OSError):
            os.unlink(self._temporary)


def write_atomically(path: str, data: bytes) -> None:
    """Replace the content of the existing file at ``path``; raises OSError and then changes nothing."""
    Replacement(path, data).take_place()


def remove_leftovers(folder: str) -> None:
    """Remove what runs that were killed while they wrote have left in a folder."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            found = _LEFTOVER.fullmatch(name)
            if found is not None and not is_running(int(found[1])):
                os.unlink(os.path.join(folder, name))


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


def _take_over(new: int | str, old: str, status: os.stat_result) -> None:
    if hasattr(os, "chown"):
        # Not everybody may, and not every owner is one that can be named in a container.
        with contextlib.suppress(OSError):
            os.chown(new, status.st_uid, status.st_gid)
    mode = stat.S_IMODE(status.st_mode)
    # Where all files have one mode nobody may set it.
    if stat.S_IMODE(os.stat(new).st_mode) != mode:
        os.chmod(new, mode)
    if hasattr(os, "listxattr"):
        # Access control lists among them; a file system may have none, or refuse some.
        with contextlib.suppress(OSError):
            for name in os.listxattr(old):
                with contextlib.suppress(OSError):
                    os.setxattr(new, name, os.getxattr(old, name))


def _sync_folder(folder: str) -> None:
    # Makes the rename last through a power cut; not every system can do this to a folder.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
