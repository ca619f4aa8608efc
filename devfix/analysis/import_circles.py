"""Circles of imports: files that import one another, so that none of them is a script, and that no script gets to.

What they do when they are imported is judged as what a script does: nothing has run before. Of a file that a script
may import later on, from a function of its own, that is not known: by then it may have set what the file finds in others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devfix.project import Program


def untouched(program: Program, loaded: Collection[str], scripts: Iterable[str]) -> Iterator[str]:
    """A file of each circle by which it may be imported, packages first, as long as nothing that it gets to is ``loaded``."""
    left = program.sources.keys() - {*loaded, *scripts}
    apart = left - program.reached(program.sources.keys() - left) if left else left
    for path in sorted(apart, key=_outermost_first):
        if program.reached([path]).isdisjoint(loaded):
            yield path


def _outermost_first(path: str) -> tuple[int, bool, str]:
    return len(PurePath(path).parts), PurePath(path).stem != "__init__", path
