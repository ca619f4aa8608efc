"""Ending: what is large is not freed piece by piece where the process is about to end, which frees all of it at once."""

from __future__ import annotations

import gc
from enum import IntEnum


class _Stage(IntEnum):
    """How far a process is: it may belong to somebody else, be devfix's own, do its one task, or the last of that."""

    FOREIGN, OWN, SOLE_TASK, LAST = range(4)


_left: list[object] = []
_stage = _Stage.FOREIGN


def _reach(stage: _Stage) -> None:
    global _stage  # noqa: PLW0603 - there is one process
    if _stage == stage - 1:
        _stage = stage


def own_process() -> None:
    """The process runs the command line and nothing else."""
    _reach(_Stage.OWN)


def sole_task() -> None:
    """The process ends once it has checked what it is about to check, if it is devfix's own."""
    _reach(_Stage.SOLE_TASK)


def come(*, small_rest: bool) -> None:
    """What is done from here on is the last of the sole task, the largest first; whether the rest is small."""
    if small_rest:
        _reach(_Stage.LAST)


def leave(*things: object) -> bool:
    """Keep things until the process is gone, if it ends soon; whether they are kept."""
    if _stage != _Stage.LAST:
        return False
    if not _left:
        _left.append(_left)  # what is part of a circle does not go by itself
    _left.extend(things)
    gc.freeze()  # and nobody looks for circles in what is frozen
    return True
