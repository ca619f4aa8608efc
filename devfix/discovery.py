"""Discovery: from the paths the user names to the Python files and notebooks devfix looks at."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path

from devfix.config import Glob, SettingsOf
from devfix.config.globs import first_match
from devfix.file_report import Skipped
from devfix.gitignore import GitIgnores, Pattern

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
    files = sorted(walk.files.values(), key=lambda path: path.split(os.sep))
    return list(map(Path, files)), sorted(walk.skipped, key=lambda skipped: skipped.path)


def searched(paths: Iterable[str | Path], settings: SettingsOf) -> tuple[set[str], set[str]]:
    """The absolute paths of the files that ``collect`` finds, and of the folders that it looks at."""
    walk = _Walk(settings)
    for path in paths:
        walk.add(Path(path))
    return set(map(os.path.abspath, walk.files.values())), set(map(os.path.abspath, walk.folders))


def would_collect(path: str | Path, root: str | Path, settings: SettingsOf) -> bool:
    """Whether ``collect`` would find a file, which need not exist yet, below ``root``."""
    path, root = Path(path), Path(root)
    if not _is_program(path.name) or root not in path.parents:
        return False
    parents, ignores = list(path.parents), GitIgnores()
    between = parents[: parents.index(root)]
    if any(_is_foreign(os.fspath(folder)) for folder in between):
        return False
    return not any(
        _Folder(os.fspath(each.parent), settings, ignores).leaves_out(each.name, is_folder=each != path)
        for each in (path, *between)
    )


def foreign_folder(path: str | Path) -> Path | None:
    """The folder around a path that no search goes into, as far as a search from here would come."""
    here = Path(os.getcwd())
    absolute = Path(os.path.abspath(path))
    around = [folder for folder in reversed(absolute.parents) if here in folder.parents]
    return next((folder for folder in around if _is_foreign(os.fspath(folder))), None)


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


def ignoring(path: str | Path, settings: SettingsOf) -> Pattern | None:
    """The pattern of a ``.gitignore`` that leaves a path, or a folder that it is in, out of a search."""
    place = os.path.abspath(path)
    if not settings.of(place).respect_gitignore:
        return None
    return GitIgnores().around(place, is_folder=os.path.isdir(place))


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
    """A path as devfix writes it, short from the current folder, as a ``Path``."""
    return Path(short_path(os.fspath(path)))


class _Walk:
    """What has been found so far; a file is known by where it really lies."""

    def __init__(self, settings: SettingsOf, *, force_exclude: bool = False) -> None:
        self.settings = settings
        self.force_exclude = force_exclude
        self.files: dict[str, str] = {}
        self.folders: list[str] = []
        self.skipped: list[Skipped] = []
        self._ignores = GitIgnores()

    def add(self, path: Path) -> None:
        problem = _problem(path)
        if problem is not None:
            self._skip(path, problem)
        elif self.force_exclude and exclusion(path, self.settings) is not None:
            return  # what Git ignores is looked at where it is named, as it is by Ruff
        elif path.is_dir():
            self._add_folder(path)
        elif path.suffix not in PROGRAM_SUFFIXES:
            self._skip(path, "is not a Python file (.py) or notebook (.ipynb)")
        elif not path.is_file():
            self._skip(path, "is not a regular file")
        else:
            self._keep(path)

    def _add_folder(self, top: Path) -> None:
        pending = [os.fspath(top)]
        while pending:
            pending.extend(reversed(self._add_entries(pending.pop())))

    def _add_entries(self, folder: str) -> list[str]:
        """Keep the files of a folder; its subfolders that are to be searched, too."""
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self._skip(Path(folder), f"cannot be read: {error.strerror}")
            return []
        here = _Folder(folder, self.settings, self._ignores)
        self.folders.append(folder)
        subfolders = []
        for entry in entries:
            # Links to folders are not followed: their files have a place of their own, and no loop can arise.
            if entry.is_dir(follow_symlinks=False):
                if not _is_foreign(entry.path) and not here.leaves_out(entry.name, is_folder=True):
                    subfolders.append(entry.path)
            elif _is_program(entry.name) and not here.leaves_out(entry.name, is_folder=False):
                self._add_entry(entry, here)
        return subfolders

    def _add_entry(self, entry: os.DirEntry[str], here: _Folder) -> None:
        if entry.is_file(follow_symlinks=False):
            self.files.setdefault(os.path.join(here.real, entry.name), os.path.join(here.short, entry.name))
            return
        path = Path(entry.path)
        problem = _problem(path)
        if problem is not None:
            self._skip(path, problem)
        elif path.is_file():
            self._keep(path)

    def _keep(self, path: Path) -> None:
        self.files.setdefault(os.path.realpath(path), short_path(os.fspath(path)))

    def _skip(self, path: Path, reason: str) -> None:
        self.skipped.append(Skipped(str(tidy(path)), reason))


class _Folder:
    """A folder on the way, with what holds for all its entries."""

    def __init__(self, path: str, settings: SettingsOf, ignores: GitIgnores) -> None:
        self.path = path
        self.absolute = os.path.abspath(path)
        self.own = settings.of(os.path.join(path, "any.py"))
        self.ignores = ignores

    @cached_property
    def real(self) -> str:
        """Where the folder really lies, behind all links."""
        return os.path.realpath(self.path)

    @cached_property
    def short(self) -> str:
        """The folder as reports name it, short from the current one."""
        return short_path(self.path)

    def leaves_out(self, name: str, *, is_folder: bool) -> bool:
        """Whether the settings, or Git's, leave an entry out."""
        if self.own.exclude and first_match(os.path.join(self.path, name), self.own.exclude) is not None:
            return True
        if not self.own.respect_gitignore:
            return False
        return self.ignores.ignoring(self.absolute, name, is_folder=is_folder) is not None


def _is_program(name: str) -> bool:
    return name.endswith(PROGRAM_SUFFIXES) and not name.startswith(".")


def _is_foreign(folder: str) -> bool:
    name = os.path.basename(folder)
    if name.startswith(".") or name in _FOREIGN_FOLDERS or name.endswith(".egg-info"):
        return True
    return os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def _problem(path: Path) -> str | None:
    try:
        path.stat()
    except FileNotFoundError:
        return "is a broken link" if path.is_symlink() else "does not exist"
    except OSError as error:
        return "is a link to itself" if error.errno == errno.ELOOP else f"cannot be read: {error.strerror}"
    return None
