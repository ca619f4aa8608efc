"""Seal: which cache files this user has written, and nobody else.

A cache lies in the project, and projects come from anywhere. One that ships a cache of its own could hide
what is wrong with it, so each file begins with a code that takes the user's secret to make. The secret lies
in the user's own cache folder. Where there is none, and none can be made, there is no cache.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import stat
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path

#: Takes the place of the user's secret, for machines that hand a cache on to one another.
SECRET_VARIABLE = "DEVFIX_CACHE_SECRET"  # noqa: S105 - the name of a variable
_LENGTH = 32


def secret() -> bytes | None:
    """The user's secret, which is made when there is none; None where that cannot be."""
    given = os.environ.get(SECRET_VARIABLE)
    if given:
        return blake2b(given.encode(errors="surrogateescape"), digest_size=_LENGTH, person=b"devfix").digest()
    try:
        path = user_folder() / "secret"
        return _read(path) or _made(path)
    except (OSError, RuntimeError):
        return None


def user_folder() -> Path:
    """Where this user's programs keep what they can make again; raises RuntimeError for a user without a home."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "devfix"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "devfix" / "Cache"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "devfix"


def seal(key: bytes, name: str, payload: bytes) -> str:
    """The code of a payload under a name: neither is right without the other."""
    code = blake2b(key=key, digest_size=_LENGTH)
    code.update(name.encode() + b"\0")
    code.update(payload)
    return code.hexdigest()


def is_sealed(key: bytes, name: str, payload: bytes, code: str) -> bool:
    """Whether a code is that of the payload."""
    return hmac.compare_digest(seal(key, name, payload).encode(), code.encode(errors="replace"))


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            status, content = os.fstat(file.fileno()), file.read(_LENGTH + 1)
    except FileNotFoundError:
        return None
    if len(content) != _LENGTH or not stat.S_ISREG(status.st_mode) or not _is_private(status):
        raise PermissionError(f"{path} is not a secret")
    return content


def _is_private(status: os.stat_result) -> bool:
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _made(path: Path) -> bytes | None:
    """A new secret, or the one that another process has made meanwhile."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)  # nobody else may read it
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_LENGTH))
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)
    return _read(path)
