"""Sweeps: tests that go through a great many rows, or made-up programs, which are alike.

An ordinary run takes some of them, the same ones each time, and ``pytest --all`` takes all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest

_Row = TypeVar("_Row")
_taken = {"all": False}


def take_all() -> None:
    """Leave nothing out; to be called before modules with tests are imported."""
    _taken["all"] = True


def is_whole() -> bool:
    """Whether nothing is left out."""
    return _taken["all"]


def some(rows: Sequence[_Row], *, every: int) -> Sequence[_Row]:
    """Every so manieth row, from the first one on."""
    return rows if _taken["all"] else rows[::every]


def number(few: int, *, all_of: int) -> int:
    """How many are tried of what is made up."""
    return all_of if _taken["all"] else few


def again(reason: str) -> pytest.MarkDecorator:
    """A test that does anew what others have done for it is left to a run of all."""
    return pytest.mark.skipif(not _taken["all"], reason=f"{reason}; `pytest --all` has it")
