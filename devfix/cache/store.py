"""Store: the folder of a cache, whose files are whole or not there.

Nothing that goes wrong with it is an error: what cannot be read is as if it were not there, and what cannot
be written is computed again next time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devfix.cache.seal import is_sealed, seal, secret
from devfix.regular_files import NO_LINK, read_regular

#: The name of the folder beside the settings.
FOLDER = ".devfix_cache"
#: Raised when the form of the files changes.
_FORM = 1
_MAGIC = b"devfix cache %d " % _FORM
_SUFFIX = ".entry"
_OURS = re.compile(r"[0-9a-f]{32}\.entry|tmp[^/]{1,40}\.partial")
#: A file that is larger is not read, and not written; all of them together are kept below the other number.
MAX_ENTRY, MAX_TOTAL = 128 * 2**20, 512 * 2**20

_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder is a cache of devfix; `devfix clean` removes it.\n"
    "# About such files: https://bford.info/cachedir/\n"
)


@dataclass(frozen=True, slots=True)
class Store:
    """A cache folder that this user's runs read and write."""

    folder: Path
    key: bytes

    def read(self, name: str) -> Any:
        """What was written under a name, as JSON gives it; None when there is nothing, or nothing whole."""
        try:
            content = _read_file(self.folder / f"{name}{_SUFFIX}")
            code, _, payload = content.removeprefix(_MAGIC).partition(b"\n")
            if not content.startswith(_MAGIC) or not is_sealed(self.key, name, payload, code.decode("ascii")):
                return None
            return json.loads(payload)
        except (OSError, ValueError, RecursionError):
            return None

    def write(self, name: str, data: object) -> bool:
        """Keep something under a name, in place of what is there; whether that worked."""
        payload = json.dumps(data, separators=(",", ":"), ensure_ascii=True).encode()
        if len(payload) > MAX_ENTRY:
            return False
        content = _MAGIC + seal(self.key, name, payload).encode() + b"\n" + payload
        try:
            _prepare(self.folder)
            _replace(self.folder / f"{name}{_SUFFIX}", content)
        except OSError:
            return False
        self._evict(f"{name}{_SUFFIX}")
        return True

    def touch(self, name: str) -> None:
        """Say that an entry is of use: the ones that are not go first."""
        with contextlib.suppress(OSError):
            os.utime(self.folder / f"{name}{_SUFFIX}")

    def _evict(self, newest: str) -> None:
        """Remove the entries that were of no use for longest, until the rest is small enough."""
        total = 0
        for _, size, path in sorted(_entries(self.folder), reverse=True):
            total += size
            if total > MAX_TOTAL and path.name != newest:
                with contextlib.suppress(OSError):
                    path.unlink()


def open_store(folder: Path, *, chosen: bool) -> Store | None:
    """The store in a folder, which need not exist; None where it must not be used.

    A folder that the user has not ``chosen`` lies in the project: where that made a link of it, writing
    would end up elsewhere.
    """
    key = secret()
    if key is None or (not chosen and not _is_plain(folder)):
        return None
    return Store(folder, key)


def clean(folder: Path) -> int:
    """Remove what devfix has put into a folder, and the folder where nothing else is in it; the number of files."""
    if not _is_plain(folder):
        return 0
    removed = 0
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            if _OURS.fullmatch(path.name) or (path.name in _COMPANIONS and _is_companion(path)):
                with contextlib.suppress(OSError):
                    path.unlink()
                    removed += 1
        folder.rmdir()
    return removed


_COMPANIONS = {".gitignore": "# Made by devfix.\n*\n", "CACHEDIR.TAG": _TAG}


def _is_companion(path: Path) -> bool:
    try:
        return (
            stat.S_ISREG(path.lstat().st_mode) and path.read_text(encoding="utf-8") == _COMPANIONS[path.name]
        )
    except (OSError, UnicodeDecodeError):
        return False


def _is_plain(folder: Path) -> bool:
    """Whether something is a folder itself, or is not there."""
    try:
        return stat.S_ISDIR(folder.lstat().st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _COMPANIONS.items():
        # Never through a link, and never over a file that is there.
        with contextlib.suppress(FileExistsError), (folder / name).open("x", encoding="utf-8") as file:
            file.write(text)


def _read_file(path: Path) -> bytes:
    content = read_regular(path, 2 * MAX_ENTRY, flags=NO_LINK)
    if len(content) > 2 * MAX_ENTRY:
        raise OSError(f"{path} is no entry")
    return content


def _replace(path: Path, content: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(suffix=".partial", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        # No fsync: what a power cut leaves of the file does not fit its seal.
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _entries(folder: Path) -> list[tuple[float, int, Path]]:
    """What devfix has written there: when it was of use last, its size, its path."""
    found = []
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                if _OURS.fullmatch(path.name):
                    status = path.lstat()
                    found.append((status.st_mtime, status.st_size, path))
    return found
