"""Work is shared out, and the death of a process is not the end."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import pytest

from devfix import pool
from devfix.pool import Pool


def work(item: int) -> tuple[int, int]:
    if item == 13:
        os._exit(1)
    return item, os.getpid()


def slow(item: int) -> tuple[int, int]:
    time.sleep(0.05)
    return item, os.getpid()


def die_elsewhere(here: int, item: int) -> tuple[int, int]:
    return (item, here) if os.getpid() == here else os._exit(1)


def died(item: int) -> tuple[int, int]:
    return -item, 0


@pytest.mark.parametrize(("jobs", "items"), [(1, [1, 2, 3]), (2, [1])])
def test_little_work_stays_in_this_process(jobs: int, items: list[int]) -> None:
    assert list(Pool(work, died, jobs).map(items)) == [(item, os.getpid()) for item in items]


def test_results_come_in_order_from_other_processes() -> None:
    results = list(Pool(work, died, 2).map(range(10)))
    assert [item for item, _ in results] == list(range(10))
    assert os.getpid() not in {process for _, process in results}


def test_this_process_may_work_too() -> None:
    results = list(Pool(slow, died, 2).map_here_too(range(12)))
    assert [item for item, _ in results] == list(range(12))
    assert results[0][1] == os.getpid()
    assert results[-1][1] != os.getpid()
    assert list(Pool(work, died, 1).map_here_too([1, 2])) == [(1, os.getpid()), (2, os.getpid())]


def test_what_others_die_of_is_lost_alone() -> None:
    results = list(Pool(partial(die_elsewhere, os.getpid()), died, 2).map_here_too(range(1, 9)))
    assert [abs(item) for item, _ in results] == list(range(1, 9))
    assert results[0] == (1, os.getpid())


def test_only_the_item_whose_process_dies_is_lost() -> None:
    results = list(Pool(work, died, 2).map([11, 12, 13, 14]))
    assert [item for item, _ in results] == [11, 12, -13, 14]


def test_no_thread_of_a_broken_pool_is_left_when_processes_are_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = []
    started = Pool._started

    def counted(self: Pool[int, tuple[int, int]], items: Sequence[int], jobs: int) -> object:
        threads.append(threading.active_count())
        return started(self, items, jobs)

    monkeypatch.setattr(Pool, "_started", counted)
    assert [item for item, _ in Pool(work, died, 2).map([13, 14])] == [-13, 14]
    assert len(threads) > 1
    assert len(set(threads)) == 1


def test_the_environment_stays_as_threads_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    for _ in range(20):
        within = Barrier(2)

        def enter(within: Barrier = within) -> None:
            within.wait()
            with pool._off_the_current_folder():
                assert os.environ["PYTHONSAFEPATH"] == "1"
                time.sleep(0.001)
                assert os.environ["PYTHONSAFEPATH"] == "1"

        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(enter) for _ in range(2)]:
                done.result()
        assert "PYTHONSAFEPATH" not in os.environ


def test_processes_that_are_not_forked_run_nothing_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "multiprocessing.py").write_text("open('executed', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setattr(pool, "_forks", lambda: False)
    here, results = os.getpid(), list(Pool(work, died, 2).map([1, 2]))
    assert [item for item, _ in results] == [1, 2]
    assert (here in {process for _, process in results}) == (sys.version_info < (3, 11))
    assert not Path("executed").exists()
    assert "PYTHONSAFEPATH" not in os.environ
