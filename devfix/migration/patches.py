"""Patches: the files beside a campaign that one can mail, read or apply by hand."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from devfix.migration.steps import Step, StepResult

#: The files of a commit step, and what they end in on disk.
_ENDINGS = {"patch": ".patch", "pull-request.md": ".md"}


def write_patches(folder: Path, key: str, results: Mapping[Step, StepResult]) -> None:
    """Let the folder hold what the commit of a repository made, and nothing where there is none."""
    committed = results.get(Step.COMMIT)
    made = {} if committed is None or committed.ends else committed.files
    for name, ending in _ENDINGS.items():
        path = folder / f"{key}{ending}"
        if name in made:
            _write(path, made[name])
        else:
            path.unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    with suppress(OSError):
        if path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    new.write_bytes(content)
    os.replace(new, path)
