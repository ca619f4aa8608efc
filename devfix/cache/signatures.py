"""Signatures: whether a file is still the one that was read, without reading it again.

A file whose size, inode and times are the same has the same content, unless it was written twice within what the
clock of the file system can tell apart. So, as in Git, the signature of a file that was new when it was looked at
is not kept, and such a file is read next time.
"""

from __future__ import annotations

import os
import time
from hashlib import blake2b

#: Modification time, change time, size, inode and device of a file; None where they prove nothing.
Signature = tuple[int, int, int, int, int]

#: How coarse a file system's clock may be, in nanoseconds (2 s on FAT), and as much again for its being slow.
_GRAIN = 4_000_000_000


def digest(data: bytes) -> str:
    """What stands for a content."""
    return blake2b(data, digest_size=16).hexdigest()


def signature_of(status: os.stat_result) -> Signature:
    """The signature that a file has now."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)


def signature(path: str) -> Signature | None:
    """The signature of the file at a path, or None where there is none."""
    try:
        return signature_of(os.stat(path))
    except OSError:
        return None


def is_settled(found: Signature, now: int | None = None) -> bool:
    """Whether a file was at rest long enough that a later change shows in its signature."""
    return max(found[0], found[1]) < (time.time_ns() if now is None else now) - _GRAIN
