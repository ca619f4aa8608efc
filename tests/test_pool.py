"""Work is shared out, and the death of a process is not the end."""

from __future__ import annotations

import os

import pytest

from devfix.pool import Pool


def work(item: int) -> tuple[int, int]:
    if item == 13:
        os._exit(1)
    return item, os.getpid()


def died(item: int) -> tuple[int, int]:
    return -item, 0


@pytest.mark.parametrize(("jobs", "items"), [(1, [1, 2, 3]), (2, [1])])
def test_little_work_stays_in_this_process(jobs: int, items: list[int]) -> None:
    assert list(Pool(work, died, jobs).map(items)) == [(item, os.getpid()) for item in items]


def test_results_come_in_order_from_other_processes() -> None:
    results = list(Pool(work, died, 2).map(range(10)))
    assert [item for item, _ in results] == list(range(10))
    assert os.getpid() not in {process for _, process in results}


def test_only_the_item_whose_process_dies_is_lost() -> None:
    results = list(Pool(work, died, 2).map([11, 12, 13, 14]))
    assert [item for item, _ in results] == [11, 12, -13, 14]
