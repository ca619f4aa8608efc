"""Carrier: a way in which a value gets from where it is made to where it is used, read from ``carriers/*.txt``.

A block begins with ``== name | handle | kinds``. What follows has three parts, parted by ``--``: imports and definitions,
statements that put ``VALUE`` where the name ``handle`` leads to, and what gets it out again, an expression behind
statements that it may need. ``PREPARE`` stands for statements that the value needs, ``TYPE`` for its type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CARRIERS = Path(__file__).resolve().parent / "carriers"
_PARTS = 3


@dataclass(frozen=True)
class Carrier:
    """The parts of a block; ``kinds`` are the initials of what it can carry: tensors, labels, modules, generators."""

    name: str
    handle: str
    kinds: str
    imports: tuple[str, ...]
    definitions: str
    store: str
    fetch: str

    def fetched(self, handle: str) -> tuple[list[str], str]:
        """The statements and the expression that get the value from what ``handle`` names."""
        own = rf"(?<![\w.'\"]){self.handle}\b(?!\s*=[^=])"
        *statements, value = re.sub(own, handle, self.fetch).split("\n")
        return statements, value


def carriers(folder: Path = CARRIERS) -> Iterator[Carrier]:
    """All carriers, file by file."""
    for path in sorted(folder.glob("*.txt")):
        for block in re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            yield _carrier(block)


def _carrier(block: str) -> Carrier:
    head, _, body = block.strip().partition("\n")
    name, handle, kinds = (part.strip() for part in head.split("|"))
    parts = [part.strip("\n") for part in f"\n{body}\n".split("\n--\n")]
    assert len(parts) == _PARTS, f"{name} has {len(parts)} parts"
    lines = parts[0].split("\n")
    count = next((k for k, line in enumerate(lines) if not line.startswith(("import ", "from "))), len(lines))
    return Carrier(name, handle, kinds, tuple(lines[:count]), "\n".join(lines[count:]), *parts[1:])
