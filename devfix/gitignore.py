"""Gitignore: what a repository says is not its own, read as Git reads it.

The patterns of ``.gitignore`` files from the root of the repository down, of ``.git/info/exclude`` and of the user's
own file count, the nearest ones first, and in a file the last one that matches. Which files are tracked is
not looked at. Outside of a repository no pattern counts.

A library for this takes longer to import than devfix takes to answer for an unchanged tree.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from devfix.regular_files import read_small

NAME = ".gitignore"
_REPOSITORY = ".git"
_EXCLUDES_FILE = re.compile(r"^\s*excludesfile\s*=\s*(.*?)\s*$", re.IGNORECASE)
_SECTION = re.compile(r"^\s*\[\s*(.*?)\s*\]")
_CLASSES: Mapping[str, str] = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
#: What matches nothing: Git passes over patterns that it cannot read.
_NEVER = r"(?!)"
#: What a star stands for, and two of them that are a part of their own; and the same where the shortest will do.
_STAR, _DEEP = "[^/]*", "(?:.*/)?"
_SHORTEST = {_STAR: "[^/]*?", _DEEP: "(?:.*?/)??"}
#: What is found within is not looked for again; before Python 3.11 it is.
_ONCE = "?>" if sys.version_info >= (3, 11) else "?:"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A line of a file of patterns; a path that matches is left out, or taken in again."""

    text: str
    file: str
    line: int
    takes_in: bool
    is_anchored: bool
    is_for_folders: bool
    regex: str


class _Expression:
    """Patterns of one file in one expression; of several that match the last one is found."""

    def __init__(self, patterns: Sequence[tuple[int, Pattern]]) -> None:
        # The first alternative that matches is found.
        self._patterns = patterns[::-1]
        regex = "|".join(f"({pattern.regex})" for _, pattern in self._patterns)
        self._regex = re.compile(regex or _NEVER, re.DOTALL)

    def find(self, text: str, start: int = 0) -> tuple[int, Pattern | None]:
        """The number of a pattern in its file, and the pattern."""
        found = self._regex.fullmatch(text, start)
        return (-1, None) if found is None else self._patterns[(found.lastindex or 1) - 1]


class _Level:
    """The patterns of one file, which hold in a folder."""

    def __init__(self, folder: str, patterns: Iterable[Pattern]) -> None:
        self._start = len(folder.rstrip(os.sep)) + 1
        numbered = list(enumerate(patterns))
        self._expressions = {
            (is_folder, is_anchored): _Expression(
                [
                    (number, each)
                    for number, each in numbered
                    if each.is_anchored == is_anchored and (is_folder or not each.is_for_folders)
                ]
            )
            for is_folder in (False, True)
            for is_anchored in (False, True)
        }

    def match(self, path: str, name: str, *, is_folder: bool) -> Pattern | None:
        """The pattern that decides about a path, of which ``name`` is the last part."""
        by_name = self._expressions[is_folder, False].find(name)
        by_path = self._expressions[is_folder, True].find(path, self._start)
        return (by_name if by_name[0] > by_path[0] else by_path)[1]


class GitIgnores:
    """What is ignored, for one search: what was read of a folder holds until its end."""

    def __init__(self) -> None:
        self._levels: dict[str, tuple[_Level, ...] | None] = {}

    def ignoring(self, folder: str, name: str, *, is_folder: bool) -> Pattern | None:
        """The pattern for which an entry of a folder, which is an absolute path, is ignored; None where none is."""
        levels = self._in(folder)
        if not levels:
            return None
        path = os.path.join(folder, name).replace(os.sep, "/")
        for level in levels:
            found = level.match(path, name, is_folder=is_folder)
            if found is not None:
                return None if found.takes_in else found
        return None

    def around(self, path: str, *, is_folder: bool) -> Pattern | None:
        """The pattern for which an absolute path, or a folder that it is in, is ignored; None where none is."""
        folder, name = os.path.split(path)
        if folder == path or self._in(folder) is None:
            return None
        return self.around(folder, is_folder=True) or self.ignoring(folder, name, is_folder=is_folder)

    def _in(self, folder: str) -> tuple[_Level, ...] | None:
        """What holds in a folder, the nearest first; None outside of repositories."""
        if folder not in self._levels:
            self._levels[folder] = self._found(folder)
        return self._levels[folder]

    def _found(self, folder: str) -> tuple[_Level, ...] | None:
        inherited: tuple[_Level, ...] | None
        if os.path.lexists(os.path.join(folder, _REPOSITORY)):
            inherited = tuple(_of_repository(folder))
        else:
            parent = os.path.dirname(folder)
            inherited = None if parent == folder else self._in(parent)
        if inherited is None:
            return None
        own = _level(os.path.join(folder, NAME), folder)
        return inherited if own is None else (own, *inherited)


def _of_repository(root: str) -> Iterator[_Level]:
    for file in (os.path.join(_shared_folder(root), "info", "exclude"), _users_file()):
        level = _level(file, root)
        if level is not None:
            yield level


def _shared_folder(root: str) -> str:
    """Where a repository has what all its work trees share."""
    folder = os.path.join(root, _REPOSITORY)
    if os.path.isfile(folder):
        named = _text(folder).partition("gitdir:")[2].strip()
        folder = os.path.join(root, named)
    common = _text(os.path.join(folder, "commondir")).strip()
    return os.path.join(folder, common) if common else folder


def _users_file() -> str:
    """The user's own patterns, for all repositories."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    chosen = os.path.join(base, "git", "ignore")
    usual = (os.path.join(base, "git", "config"), os.path.expanduser("~/.gitconfig"))
    variable = os.environ.get("GIT_CONFIG_GLOBAL")
    for file in usual if variable is None else (variable,):
        section = ""
        for line in _text(file).splitlines():
            if found := _SECTION.match(line):
                section = found[1].lower()
            elif section == "core" and (found := _EXCLUDES_FILE.match(line)):
                chosen = os.path.expanduser(found[1].strip('"'))
    return chosen


def _text(file: str) -> str:
    try:
        return read_small(file).decode(errors="surrogateescape").removeprefix("\ufeff")
    except OSError:
        return ""


def _level(file: str, folder: str) -> _Level | None:
    try:
        status = os.stat(file)
    except OSError:
        return None
    return _read(file, folder, (status.st_mtime_ns, status.st_size, status.st_ino))


@lru_cache(maxsize=512)
def _read(file: str, folder: str, _state: tuple[int, int, int]) -> _Level | None:
    """Editors and watchers search often, and the files are as they were."""
    patterns = list(patterns_of(_text(file), file))
    return _Level(folder, patterns) if patterns else None


def patterns_of(text: str, file: str) -> Iterator[Pattern]:
    """The patterns of a text."""
    for number, line in enumerate(text.split("\n"), 1):
        written = _without_spaces(line.removesuffix("\r"))
        if not written or written.startswith("#"):
            continue
        takes_in = written.startswith("!")
        rest = written.removeprefix("!")
        glob = rest.removesuffix("/")
        regex = expression(glob.removeprefix("/"))
        yield Pattern(written, file, number, takes_in, "/" in glob, glob != rest, regex)


def _without_spaces(line: str) -> str:
    """A line without the spaces at its end, but for one behind a backslash."""
    short = line.rstrip(" ")
    backslashes = len(short) - len(short.rstrip("\\"))
    return short + " " if backslashes % 2 and len(short) < len(line) else short


def expression(glob: str) -> str:
    """The regular expression of a glob, of which no star goes beyond a slash unless it is a part of its own with another."""
    parts: list[str] = []
    place = 0
    while place < len(glob):
        part, place = _part(glob, place)
        if part is None:
            return _NEVER
        parts.append(part)
    return "".join(_settled(_settled(parts, _STAR, "/"), _DEEP, "")) or _NEVER


def _settled(parts: Iterable[str], star: str, end: str) -> list[str]:
    """Parts in which all between a star and the next one, with no ``end`` between them, is looked for once.

    Where it is found first, the next star has the most to choose from: no other place needs to be tried, however many stars there are.
    """
    settled: list[str] = []
    begin: int | None = None
    for part in parts:
        if part == star:
            if begin is not None:
                settled[begin:] = [f"({_ONCE}{_SHORTEST[star]}{''.join(settled[begin + 1 :])})"]
            begin = len(settled)
        elif part == end:
            begin = None
        settled.append(part)
    return settled


def _part(glob: str, place: int) -> tuple[str | None, int]:
    """What the next part of a glob stands for, and where the one behind it begins; None where it makes no sense."""
    letter = glob[place]
    if letter == "*":
        end = place + len(glob[place:]) - len(glob[place:].lstrip("*"))
        whole = (
            end - place > 1 and (place == 0 or glob[place - 1] == "/") and glob[end : end + 1] in ("", "/")
        )
        if not whole:
            return _STAR, end
        return (_DEEP, end + 1) if end < len(glob) else (".+", end)
    if letter == "?":
        return "[^/]", place + 1
    if letter == "[":
        return _bracket(glob, place)
    if letter == "\\":
        return (re.escape(glob[place + 1]), place + 2) if place + 1 < len(glob) else (None, place + 1)
    return re.escape(letter), place + 1


def _bracket(glob: str, start: int) -> tuple[str | None, int]:
    """The same for letters in brackets."""
    place = start + 1
    negated = glob[place : place + 1] in ("!", "^")
    place += negated
    items: list[str] = []
    first = True
    while place < len(glob) and (first or glob[place] != "]"):
        first = False
        named = re.compile(r"\[:(\w*):\]").match(glob, place)
        if named is not None:
            if named[1] not in _CLASSES:
                return None, len(glob)
            items.append(_CLASSES[named[1]])
            place = named.end()
            continue
        low, place = _letter(glob, place)
        high = low
        if glob[place : place + 1] == "-" and glob[place + 1 : place + 2] not in ("", "]"):
            high, place = _letter(glob, place + 1)
        if low <= high:
            items.append(f"{re.escape(low)}-{re.escape(high)}")
    if place >= len(glob):
        return None, len(glob)
    inside = "".join(items)
    if negated:
        return f"[^/{inside}]", place + 1
    return (f"(?!/)[{inside}]" if inside else _NEVER), place + 1


def _letter(glob: str, place: int) -> tuple[str, int]:
    escaped = glob[place] == "\\" and place + 1 < len(glob)
    return glob[place + escaped], place + escaped + 1
