"""The static analysis: which operands meet on different devices or dtypes, found without running.

>>> from devfix.analysis import analyse
>>> facts = analyse(program)

``analyse`` interprets a program (see ``interpreter``) from each of its entry points and returns
:class:`~devfix.analysis.facts.Facts`, the only thing a rule gets to see.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from devfix.analysis import given_options
from devfix.analysis.entries import run_program
from devfix.analysis.facts import Facts
from devfix.analysis.recorder import Recorder

if TYPE_CHECKING:
    from devfix.analysis.units import Keeper
    from devfix.project import Program

__all__ = ["Facts", "analyse"]

#: Modules that import one another, hundreds deep, and calls in them. Before Python 3.11 each
#: call of Python took space on the C stack, which ends the process when it is used up.
_RECURSION_LIMIT = 10_000 if sys.version_info >= (3, 11) else 1_000


def analyse(program: Program, keeper: Keeper | None = None) -> Facts:
    """Everything that is known about one program; what the ``keeper`` knows is not found out again."""
    recorder = Recorder()
    with deep_recursion():
        given_options.judge(program, recorder, run_program(program, recorder, keeper=keeper))
    return Facts(program, recorder)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Let the interpreter nest as deeply as large programs do."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
