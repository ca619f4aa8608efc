"""Globs: patterns for files, each with the folder that it is relative to."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import PurePath

#: A pattern that stands for more than so many others is a mistake, or meant to keep devfix busy.
MOST_CHOICES = 1_000


@dataclass(frozen=True, slots=True)
class Glob:
    """A pattern from a settings file or the command line.

    Without a slash it is compared with every part of a path below ``root``, with one with the path from
    ``root``. ``{a,b}`` stands for either, and a leading ``!`` for all that the rest does not match.
    """

    pattern: str
    root: str = "."

    def matches(self, path: str | os.PathLike[str]) -> bool:
        """Whether ``path``, or a folder it is in, is meant."""
        if self.pattern.startswith("!"):
            return not matches(path, self.pattern[1:], self.root)
        return matches(path, self.pattern, self.root)


def globs(*patterns: str, root: str = ".") -> tuple[Glob, ...]:
    """Patterns that are relative to one folder."""
    return tuple(Glob(pattern, root) for pattern in patterns)


def first_match(path: str | os.PathLike[str], patterns: Iterable[Glob]) -> Glob | None:
    """The first of some patterns that matches ``path``."""
    return next((glob for glob in patterns if glob.matches(path)), None)


def matches(path: str | os.PathLike[str], pattern: str, root: str) -> bool:
    """Whether ``path``, or a folder it is in, matches ``pattern`` relative to ``root``."""
    try:
        relative = PurePath(os.path.relpath(path, root)).as_posix()
    except ValueError:
        return False  # different drives have nothing in common
    parts = relative.split("/")
    return any(_matches(parts, each.strip("/").removeprefix("./")) for each in _braces(pattern))


def _matches(parts: list[str], glob: str) -> bool:
    if "/" not in glob:
        return any(fnmatch.fnmatchcase(part, glob) for part in parts if part not in (".", ".."))
    leading = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    short = glob.removeprefix("**/")
    return any(fnmatch.fnmatchcase(path, glob) or fnmatch.fnmatchcase(path, short) for path in leading)


def choices(pattern: str) -> int:
    """For how many patterns one with ``{a,b}`` may stand, or for more than it does."""
    return prod(each.partition("}")[0].count(",") + 1 for each in pattern.split("{")[1:])


@lru_cache(maxsize=1_000)
def _braces(pattern: str) -> list[str]:
    """The patterns that one with ``{a,b}`` stands for."""
    head, opening, rest = pattern.partition("{")
    inside, closing, tail = rest.partition("}")
    if not opening or not closing or "{" in inside:
        return [pattern]
    return [head + choice + end for choice in inside.split(",") for end in _braces(tail)]
