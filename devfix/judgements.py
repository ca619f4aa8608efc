"""Judgements: of the programs that fixes make of one, of which some are come to in more than one way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from devfix.judgement import Judgement
from devfix.project import Program
from devfix.states import texts_of


@dataclass(slots=True)
class Judgements:
    """Judges a program whose texts are like no earlier one's; what the rules say of the others is known."""

    judge: Callable[[Program], Judgement]
    _known: dict[tuple[frozenset[tuple[str, str]], bool], Judgement] = field(default_factory=dict)

    def __call__(self, program: Program) -> Judgement:
        """What the rules say of a program."""
        key = texts_of(program), program.adopts
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self.judge(program)
        return known
