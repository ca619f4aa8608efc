"""Successive analyses: of the texts that one program has in turn, as while it is fixed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from devfix.analysis import analyse
from devfix.analysis.reuse.units import Keeper, Kept

if TYPE_CHECKING:
    from devfix.analysis.record.facts import Facts
    from devfix.project import Program


@dataclass(slots=True)
class Successive:
    """Analyses a program as often as it is asked to.

    What was found in a file the last time is found out again only where the file, or something that it uses, is another.
    """

    jobs: int = 1
    _kept: Kept = field(default_factory=Kept)

    def __call__(self, program: Program) -> Facts:
        """Everything that is known about the program as it is now."""
        keeper = Keeper(self._kept)
        facts = analyse(program, keeper, self.jobs)
        self._kept = keeper.kept()
        return facts
