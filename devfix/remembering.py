"""Remembering: where a call's cache lies, and what decides its answer besides the files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from devfix.cache import store
from devfix.cache.memory import Memory
from devfix.cache.seal import user_folder
from devfix.cache.tool import tool_state
from devfix.config import Settings
from devfix.config.reading import is_below
from devfix.project import marked_root

#: Names a folder for the cache.
FOLDER_VARIABLE = "DEVFIX_CACHE_DIR"


def memory_of(paths: Sequence[Path], settings: Settings, named: Path | None) -> Memory | None:
    """What is remembered of a call; None where nothing can be. ``named`` is the folder that the user asks for."""
    folder, chosen = cache_folder(paths, settings, named)
    opened = store.open_store(folder, chosen=chosen)
    return (
        None
        if opened is None
        else Memory(opened, tool_state(), (tuple(map(str, paths)), settings.of_findings))
    )


def cache_folder(paths: Sequence[Path], settings: Settings, named: Path | None) -> tuple[Path, bool]:
    """The folder of the cache, and whether it lies where the user, and no project, has a say.

    It is where the project begins, unless the settings name another one in it. What belongs to no project is
    remembered in the user's own cache folder.
    """
    if named is None and (variable := os.environ.get(FOLDER_VARIABLE)):
        named = Path(variable)
    if named is not None:
        return named, True
    root = _project_of(paths)
    # Settings that came with a project choose no folder but one of the project's own.
    if settings.cache_dir is not None and is_below(settings.cache_dir, settings.root):
        return Path(settings.cache_dir), False
    if root is not None:
        return root / store.FOLDER, False
    try:
        return user_folder() / "trees", True
    except RuntimeError:
        return Path(store.FOLDER), False


def _project_of(paths: Sequence[Path]) -> Path | None:
    try:
        common = os.path.commonpath([os.path.abspath(path) for path in paths])
    except ValueError:
        return None
    root = marked_root(common if os.path.isdir(common) else os.path.dirname(common))
    return None if root is None else Path(root)
