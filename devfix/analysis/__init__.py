"""The static analysis: which operands meet on different devices or dtypes, found without running.

>>> from devfix.analysis import analyse
>>> facts = analyse(program)

``analyse`` interprets a program (see ``interpreter``) from each of its entry points and returns
:class:`~devfix.analysis.facts.Facts`, the only thing a rule gets to see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis import given_options
from devfix.analysis.entries import run_program
from devfix.analysis.facts import Facts
from devfix.analysis.recorder import Recorder

if TYPE_CHECKING:
    from devfix.project import Program

__all__ = ["Facts", "analyse"]


def analyse(program: Program) -> Facts:
    """Everything that is known about one program."""
    recorder = Recorder()
    given_options.judge(program, recorder, run_program(program, recorder))
    return Facts(program, recorder)
