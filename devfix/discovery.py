"""Discovery: from the paths the user names to the Python files and notebooks devfix looks at."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from devfix.config import Glob, SettingsOf
from devfix.config.globs import first_match
from devfix.findings import Skipped

#: What files end in that hold a program or a part of one.
PROGRAM_SUFFIXES = (".py", ".pyw", ".ipynb")

#: Folders of other people's code or of generated files; left out below a named folder.
_FOREIGN_FOLDERS = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages", "venv"})


def collect(
    paths: Iterable[str | Path], settings: SettingsOf, *, force_exclude: bool = False
) -> tuple[list[Path], list[Skipped]]:
    """The files to look at, each once and in order, and what had to be passed over.

    What is excluded is found nevertheless where it is named, unless ``force_exclude``. Raises
    ConfigError for a settings file on the way that makes no sense.
    """
    walk = _Walk(settings, force_exclude=force_exclude)
    # A file that is named, and found in a folder by another name, goes by the one that the user gave it.
    for path in sorted(map(Path, paths), key=os.path.isdir):
        walk.add(path)
    return sorted(walk.files.values()), sorted(walk.skipped, key=lambda skipped: skipped.path)


def would_collect(path: str | Path, root: str | Path, settings: SettingsOf) -> bool:
    """Whether ``collect`` would find a file, which need not exist yet, below ``root``."""
    path, root = Path(path), Path(root)
    if path.suffix not in PROGRAM_SUFFIXES or path.name.startswith(".") or root not in path.parents:
        return False
    walk, parents = _Walk(settings), list(path.parents)
    between = parents[: parents.index(root)]
    return not walk.excludes(path) and not any(walk.is_foreign(folder) for folder in between)


def foreign_folder(path: str | Path) -> Path | None:
    """The folder around a path that no search goes into, as far as a search from here would come."""
    here = Path(os.getcwd())
    absolute = Path(os.path.abspath(path))
    around = [folder for folder in reversed(absolute.parents) if here in folder.parents]
    return next((folder for folder in around if _is_foreign(folder)), None)


def exclusion(path: str | Path, settings: SettingsOf) -> Glob | None:
    """The pattern that leaves a path, or a folder that it is in, out of a search; None where none does."""
    place = Path(os.path.abspath(path))
    while place != place.parent:
        own = settings.of(place)
        found = first_match(place, own.exclude)
        # Above the folder of the settings file others may hold that are no business of this project.
        if found is not None or place.parent == Path(os.path.abspath(own.root)):
            return found
        place = place.parent
    return None


def short_path(path: str) -> str:
    """The one way devfix writes a path: from the current folder where it lies below that.

    The current folder itself is the empty string.
    """
    return _short_path(path, os.getcwd())


@lru_cache(maxsize=65_536)
def _short_path(path: str, here: str) -> str:
    """Imports ask for few paths, and for each of them often."""
    absolute = os.path.normpath(os.path.join(here, path))
    if absolute == here:
        return ""
    prefix = here.rstrip(os.sep) + os.sep
    return absolute.removeprefix(prefix)


def tidy(path: str | Path) -> Path:
    """The same as a ``Path``."""
    return Path(short_path(os.fspath(path)))


class _Walk:
    """What has been found so far; a file is known by where it really lies."""

    def __init__(self, settings: SettingsOf, *, force_exclude: bool = False) -> None:
        self.settings = settings
        self.force_exclude = force_exclude
        self.files: dict[str, Path] = {}
        self.skipped: list[Skipped] = []

    def add(self, path: Path) -> None:
        problem = _problem(path)
        if problem is not None:
            self._skip(path, problem)
        elif self.force_exclude and exclusion(path, self.settings) is not None:
            return
        elif path.is_dir():
            self._add_folder(path)
        elif path.suffix not in PROGRAM_SUFFIXES:
            self._skip(path, "is not a Python file (.py) or notebook (.ipynb)")
        elif not path.is_file():
            self._skip(path, "is not a regular file")
        else:
            self._keep(path)

    def _add_folder(self, folder: Path) -> None:
        for path in self._below(folder):
            problem = _problem(path)
            if problem is not None:
                self._skip(path, problem)
            elif path.is_file():
                self._keep(path)

    def _below(self, top: Path) -> Iterator[Path]:
        # Links to folders are not followed: their files have a place of their own, and no loop can arise.
        for folder, subfolders, names in os.walk(top, onerror=self._unreadable):
            here = Path(folder)
            subfolders[:] = sorted(name for name in subfolders if not self.is_foreign(here / name))
            for name in sorted(names):
                path = here / name
                if path.suffix in PROGRAM_SUFFIXES and not name.startswith(".") and not self.excludes(path):
                    yield path

    def is_foreign(self, folder: Path) -> bool:
        """Whether a folder below a named one is left out."""
        return _is_foreign(folder) or self.excludes(folder)

    def excludes(self, path: Path) -> bool:
        """Whether the settings leave a path out."""
        return first_match(path, self.settings.of(path).exclude) is not None

    def _unreadable(self, error: OSError) -> None:
        self._skip(Path(str(error.filename)), f"cannot be read: {error.strerror}")

    def _keep(self, path: Path) -> None:
        self.files.setdefault(os.path.realpath(path), tidy(path))

    def _skip(self, path: Path, reason: str) -> None:
        self.skipped.append(Skipped(str(tidy(path)), reason))


def _is_foreign(folder: Path) -> bool:
    name = folder.name
    if name.startswith(".") or name in _FOREIGN_FOLDERS or name.endswith(".egg-info"):
        return True
    return (folder / "pyvenv.cfg").exists()


def _problem(path: Path) -> str | None:
    try:
        path.stat()
    except FileNotFoundError:
        return "is a broken link" if path.is_symlink() else "does not exist"
    except OSError as error:
        return "is a link to itself" if error.errno == errno.ELOOP else f"cannot be read: {error.strerror}"
    return None
