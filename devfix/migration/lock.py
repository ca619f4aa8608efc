"""Lock: one run at a time on a campaign; the lock of a process that is gone is free."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path

#: What is locked lies far behind what is written, since Windows lets nobody read what is locked.
_PLACE = 1 << 30


class CampaignLockedError(Exception):
    """Another process is at work on the campaign."""


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """Have the campaign in ``place`` for oneself; raises CampaignLockedError."""
    place.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(place / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            _lock(descriptor)
        except OSError as error:
            raise CampaignLockedError(_holder(descriptor, place)) from error
        me = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(me).encode())
        yield
    finally:
        # Closing it is what lets go; so does the system for a process that was killed.
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    if os.name == "nt":
        import msvcrt  # noqa: PLC0415 - Windows only

        os.lseek(descriptor, _PLACE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        return
    import fcntl  # noqa: PLC0415 - not on Windows

    # Of the process, not of the open file: children that outlive it by a moment do not keep it.
    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _PLACE)


def _holder(descriptor: int, place: Path) -> str:
    told = ""
    with suppress(OSError, ValueError, KeyError, TypeError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        holder = json.loads(os.read(descriptor, 4096))
        since = datetime.fromtimestamp(holder["since"], timezone.utc).astimezone().strftime("%H:%M:%S")
        told = f" (process {holder['pid']} on {holder['host']}, since {since})"
    return f"another run is at work on {place}{told}; wait for it to end, or end it"
