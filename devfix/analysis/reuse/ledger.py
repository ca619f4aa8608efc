"""Ledger: what was taken of the accounts of functions, and from when on that counts.

Files are looked at in blocks. What is taken in one counts two blocks later, so that what is found in a file does not depend on its
neighbours, which other processes may be at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from devfix.analysis.accounts import Taken

#: A function by its file, line and column.
Place = tuple[str, int, int]
#: So many files are a block: with more of them functions are interpreted more often than it takes to know what they do.
BLOCK = 4
#: What scripts take counts from the first block on.
_SCRIPTS = -2


@dataclass(slots=True)
class Ledger:
    """What was taken that counts in the block that is looked at, and what was taken since, by blocks."""

    block: int = _SCRIPTS
    taken: dict[Place, Taken] = field(default_factory=dict)
    recent: dict[int, dict[Place, Taken]] = field(default_factory=dict)

    def draw(self, place: Place, taken: Taken) -> None:
        """Something was taken in the block that is looked at."""
        if taken != (0, 0):
            add(self.recent.setdefault(self.block, {}), {place: taken})

    def enter(self, block: int) -> None:
        """Go on to a block."""
        self.block = block
        for earlier in [each for each in self.recent if counts(each, block)]:
            add(self.taken, self.recent.pop(earlier))

    def copy(self) -> Ledger:
        """One that goes on from here by itself."""
        return Ledger(
            self.block, dict(self.taken), {block: dict(taken) for block, taken in self.recent.items()}
        )


def counts(earlier: int, block: int) -> bool:
    """Whether what was taken in one block counts in another."""
    return earlier <= block - 2


def add(taken: dict[Place, Taken], more: Mapping[Place, Taken]) -> None:
    """Take so much more."""
    for place, (calls, steps) in more.items():
        before = taken.get(place, (0, 0))
        taken[place] = (before[0] + calls, before[1] + steps)
