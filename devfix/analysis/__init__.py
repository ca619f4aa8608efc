"""The static analysis: which operands meet on different devices or dtypes, found without running.

>>> from devfix.analysis import analyse
>>> facts = analyse(program)

``analyse`` interprets a program (see ``interpreter``) from each of its entry points and returns
:class:`~devfix.analysis.record.facts.Facts`, the only thing a rule gets to see.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from devfix import ending
from devfix.analysis.assumptions import given_options
from devfix.analysis.depth import in_depth
from devfix.analysis.entries import run_program
from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Recorder

if TYPE_CHECKING:
    from devfix.analysis.reuse.units import Keeper
    from devfix.project import Program

__all__ = ["Facts", "analyse"]


def analyse(program: Program, keeper: Keeper | None = None, jobs: int = 1) -> Facts:
    """Everything that is known about one program; what the ``keeper`` knows is not found out again.

    So many ``jobs`` are done at the same time where the program is large.
    """
    recorder = Recorder()
    library = in_depth(partial(run_program, program, recorder, keeper=keeper, jobs=jobs))
    in_depth(partial(given_options.judge, program, recorder, library))
    ending.leave(recorder, library)
    return Facts(program, recorder)
