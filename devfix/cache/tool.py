"""The state of the tool: whatever besides the files and the settings decides what a run finds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from hashlib import blake2b
from importlib import metadata, util
from pathlib import Path

from devfix import __version__
from devfix.registry import BUILT_IN, ENTRY_POINTS


def tool_state() -> str:
    """Stands for the versions of Python, devfix and the rule packs, and for their code as it is on the disk.

    So a checkout that is being worked on never answers with what it used to find. Nothing is imported.
    """
    code = blake2b(digest_size=16)
    code.update(repr((__version__, sys.version, sys.flags.optimize, os.name)).encode())
    for name in ("devfix", BUILT_IN):
        _add_package(code, name)
    for entry in sorted(
        metadata.entry_points(group=ENTRY_POINTS), key=lambda entry: (entry.name, entry.value)
    ):
        version = entry.dist.version if entry.dist is not None else ""
        code.update(repr((entry.name, entry.value, version)).encode())
        _add_package(code, entry.module.partition(".")[0])
    return code.hexdigest()


def _add_package(code: blake2b, name: str) -> None:
    try:
        spec = util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return
    for folder in spec.submodule_search_locations or ():
        for path, modified, size in _modules(folder):
            code.update(f"{path}\0{modified}\0{size}\n".encode(errors="surrogateescape"))
    if not spec.submodule_search_locations and spec.origin:
        status = Path(spec.origin).stat()
        code.update(
            f"{spec.origin}\0{status.st_mtime_ns}\0{status.st_size}\n".encode(errors="surrogateescape")
        )


def _modules(folder: str) -> Iterator[tuple[str, int, int]]:
    """The modules of a package, with when they were written and how large they are, in order of path."""
    pending, found = [folder], []
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        pending.append(entry.path)
                elif entry.name.endswith((".py", ".so", ".pyd", ".json")):
                    status = entry.stat()
                    found.append((entry.path, status.st_mtime_ns, status.st_size))
    yield from sorted(found)
