"""Sight: what a check depends on, and whether it is still as it was.

Files are asked for their state instead of having the system tell of events: that works on every file system, also on
those of other machines and in containers, and costs some milliseconds for thousands of files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from devfix.cache.signatures import Signature, is_settled, signature
from devfix.config import Asked, ConfigError, Configuration, Settings, SettingsOf, configuration_of
from devfix.config.reading import NAMES
from devfix.discovery import searched
from devfix.gitignore import NAME as GITIGNORE

#: The files that say which files are checked, and how.
_DECIDING = (*NAMES, GITIGNORE)


class Sight:
    """The files and folders that a check of some paths depends on, as they were when they were looked at."""

    def __init__(self, paths: Iterable[Path], asked: Asked) -> None:
        self.paths = tuple(paths)
        self.asked = asked
        self._more: set[str] = set()
        self._files: dict[str, Signature | None] = {}
        self._folders: dict[str, Signature | None] = {}
        self.changed()

    def __len__(self) -> int:
        return sum(found is not None for found in self._files.values())

    def add(self, paths: Iterable[str]) -> None:
        """Take in files that only the check could tell of, such as those that others import."""
        self._more.update(map(os.path.abspath, paths))
        for path in self._more - self._files.keys():
            self._files[path] = signature(path)

    def changed(self) -> bool:
        """Whether a file is another one, has appeared or is gone since the last time."""
        if self._files and self._is_as_it_was():
            return False
        before, self._files = self._files, {}
        files, folders = self._found()
        # Folders come first: what appears meanwhile is found the next time.
        self._folders = {path: _settled(path) for path in folders}
        self._files = {path: signature(path) for path in files}
        return self._files != before

    def _is_as_it_was(self) -> bool:
        """Whether no file has another state, and no folder another list; a glance that costs little."""
        if any(found is None or found != signature(path) for path, found in self._folders.items()):
            return False
        return all(found == signature(path) for path, found in self._files.items())

    def _found(self) -> tuple[set[str], set[str]]:
        """All files and folders by their absolute paths; also files that are not there, but would count."""
        told: set[str] = set()
        settings: SettingsOf
        try:
            settings = configuration_of(self.asked)
            files, folders = searched(self.paths, settings)
            told.update(_told(settings, folders))
        except ConfigError as error:
            # Until that is mended every file may be one that is checked.
            told.update(error.files)
            files, folders = searched(self.paths, Settings())
        named = {os.path.abspath(path) for path in self.paths} - folders
        above = {os.path.join(folder, name) for folder in _above(folders, named) for name in _DECIDING}
        within = {os.path.join(folder, name) for folder in folders for name in _DECIDING}
        there = {path for path in within if os.path.exists(path)}
        given = {os.path.abspath(each) for each in self.asked.config if os.path.exists(each)}
        return {*files, *named, *above, *there, *given, *map(os.path.abspath, told), *self._more}, folders


def _settled(path: str) -> Signature | None:
    """The signature of a folder, unless it is so new that its clock may not show the next change."""
    found = signature(path)
    return found if found is not None and is_settled(found) else None


def _told(configuration: Configuration, folders: Iterable[str]) -> Iterator[str]:
    """The files that settings come from, and the baselines that they name."""
    for folder in folders:
        baseline = configuration.in_folder(folder).baseline
        if baseline is not None:
            yield baseline
        yield from (layer.file for layer in configuration.layers_in(folder) if layer.file is not None)


def _above(folders: Iterable[str], files: Iterable[str]) -> set[str]:
    """The folders around those that are searched, and around named files."""
    starts = {*map(os.path.dirname, files), *map(os.path.dirname, folders)} - set(folders)
    return {os.fspath(each) for start in starts for each in (Path(start), *Path(start).parents)}
