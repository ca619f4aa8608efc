"""How deeply calls nest during an analysis, and what that costs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pytest

from devfix.analysis.depth import RECURSION_LIMIT, in_depth


def nested(levels: int) -> int:
    return 1 + nested(levels - 1) if levels else 0


def test_calls_nest_more_deeply_than_usual_and_only_within() -> None:
    usual = sys.getrecursionlimit()
    levels = min(RECURSION_LIMIT, 9_000) - 500
    assert in_depth(partial(nested, levels)) == levels
    assert sys.getrecursionlimit() == usual


def test_the_limit_is_what_it_was_after_an_error() -> None:
    usual = sys.getrecursionlimit()
    with pytest.raises(ZeroDivisionError):
        in_depth(lambda: 1 // 0)
    assert sys.getrecursionlimit() == usual


def test_a_higher_limit_stays() -> None:
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(usual + RECURSION_LIMIT)
    try:
        assert in_depth(sys.getrecursionlimit) == usual + RECURSION_LIMIT
    finally:
        sys.setrecursionlimit(usual)


def faults(run: Callable[[], object]) -> int:
    """How often the system had to find memory while ``run`` was running."""
    resource = pytest.importorskip("resource")  # Windows has none
    before: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    run()
    after: int = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    return after - before


def to_and_fro() -> None:
    """From each of many depths, some of which are at the end of a chunk, a hundred calls."""

    def below(levels: int) -> None:
        for _ in range(100):
            nested(1)
        if levels:
            below(levels - 1)

    below(300)


@pytest.mark.skipif(
    sys.platform != "linux" or sys.version_info < (3, 11), reason="other frames, other memory"
)
def test_calls_to_and_fro_need_no_new_memory() -> None:
    in_depth(to_and_fro)  # what is made once is made
    assert faults(partial(in_depth, to_and_fro)) * 4 < faults(to_and_fro)
