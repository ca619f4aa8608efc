"""Ahead: what other processes find out of a program, and how fast they are, changes nothing in what is found."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from edited_packages import Packages
from test_units import program_of, through_data, told

from devfix.analysis import analyse, entries
from devfix.analysis.entries import _run_uncalled
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.reuse.ahead import Ahead
from devfix.analysis.reuse.finder import Finder, Order
from devfix.analysis.reuse.units import Keeper
from devfix.forks import Fork, answering, may_fork

pytestmark = pytest.mark.skipif(not may_fork(), reason="this process cannot be copied")

#: Functions of one file that is used by all others: what it costs and whether it was executed depends on those before.
SHARED = """
import torch
import functools

def place(x, n):
    for i in range(n):
        if x.sum() > i:
            x = x + torch.zeros(3)
        else:
            x = x * 2
        y = x.cpu()
        z = y + i
    return x

def noted(function):
    @functools.wraps(function)
    def wrapper(self, x):
        found = function(self, x)
        return found
    return wrapper

def unused(x):
    return torch.zeros(3, device="cuda") + torch.zeros(3)
"""
USER = """
import torch
from pack.shared import noted, place

class Model{n}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.zeros({n}, device="cuda")

    @noted
    def forward(self, x):
        return place(x, {n}) + self.scale

    def apart(self, x):
        return self.scale + torch.zeros({n})
"""
LAZY = """
import torch

def f{n}(x):
    from pack import late{n}
    torch.save(x, "kept{n}.pt")
    return late{n}.scale.cuda() + torch.zeros(3) + x
"""


def many(count: int) -> dict[str, str]:
    """A program of files that use what one file has, and of some that load and save what others have not."""
    texts = {"main.py": "import torch\n", "pack/__init__.py": "", "pack/shared.py": SHARED}
    for n in range(count):
        texts[f"pack/user{n}.py"] = USER.format(n=n + 1)
        texts["main.py"] += f"import pack.user{n}\n"
        if n % 4 == 1:
            texts[f"pack/lazy{n}.py"] = LAZY.format(n=n)
            texts[f"pack/late{n}.py"] = (
                "import torch\nscale = torch.ones(3)\ndef g(x):\n    return x + scale\n"
            )
            texts["main.py"] += f"import pack.lazy{n}\n"
    return texts


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the size of a program, others work on it."""
    monkeypatch.setattr(entries, "_MUCH", 0)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the units that others found were what is found here."""
    found: list[bool] = []
    holds = Keeper._holds

    def noting(*args: Any) -> bool:
        found.append(holds(*args))
        return found[-1]

    monkeypatch.setattr(Keeper, "_holds", noting)
    return found


@pytest.mark.parametrize("jobs", [2, 3, 5])
def test_others_find_what_one_finds(jobs: int, taken: list[bool]) -> None:
    texts = many(14)
    alone = told(analyse(program_of(texts)))
    assert alone[0], "there is something to find"
    assert told(analyse(program_of(texts), jobs=jobs)) == alone
    assert taken.count(True) > 4


def test_what_is_found_too_early_is_found_again(monkeypatch: pytest.MonkeyPatch, taken: list[bool]) -> None:
    """Everybody begins as if nobody had done anything before."""
    texts = many(14)
    alone = told(analyse(program_of(texts)))
    behind = Finder._begin_behind
    monkeypatch.setattr(Finder, "_begin_behind", lambda self, block, _: behind(self, block, {}))
    assert told(analyse(program_of(texts), jobs=3)) == alone
    assert False in taken
    assert True in taken


@pytest.mark.parametrize("seed", range(4))
def test_made_up_packages(seed: int) -> None:
    texts = Packages(seed).package()
    assert told(analyse(program_of(texts), jobs=3)) == told(analyse(program_of(texts)))


def test_what_others_found_is_kept() -> None:
    texts = many(9)
    alone = told(analyse(program_of(texts)))
    keeper = Keeper()
    analyse(program_of(texts), keeper, jobs=3)
    assert keeper.steps > 0
    again = through_data(keeper)
    assert told(analyse(program_of(texts), again)) == alone
    assert again.saved > 0
    partly = through_data(keeper)
    changed = {**texts, "pack/user3.py": USER.format(n=77)}
    assert told(analyse(program_of(changed), partly, jobs=3)) == told(analyse(program_of(changed)))


def test_the_limit_of_a_program_is_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = many(14)
    monkeypatch.setattr(entries, "_BUDGET_OF_A_LINE", 0)
    left = list[bool]()
    for budget in (20, 60, 120):
        monkeypatch.setattr(entries, "_BUDGET", budget)
        alone = told(analyse(program_of(texts)))
        assert told(analyse(program_of(texts), jobs=3)) == alone
        left.append(any(alone[-2].values()))
    assert any(left), "not all is analysed"


def test_who_dies_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = many(9)
    alone = told(analyse(program_of(texts)))
    answer = Finder.answer

    def dying(self: Finder, order: Order) -> Any:
        if order.turn % 3 == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer(self, order)

    monkeypatch.setattr(Finder, "answer", dying)
    assert told(analyse(program_of(texts), jobs=3)) == alone


def test_what_fails_elsewhere_fails_here(monkeypatch: pytest.MonkeyPatch) -> None:
    run = _run_uncalled

    def failing(interp: Interpreter, path: str, *rest: Any) -> None:
        if path == "pack/user5.py":
            raise RecursionError
        run(interp, path, *rest)

    monkeypatch.setattr(entries, "_run_uncalled", failing)
    with pytest.raises(RecursionError):
        analyse(program_of(many(9)), jobs=3)


def test_nobody_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Fork] = []
    begin = Ahead._begin

    def noting(self: Ahead) -> Any:
        worker = begin(self)
        begun.append(worker.fork if worker else pytest.fail("there is room"))
        return worker

    monkeypatch.setattr(Ahead, "_begin", noting)
    analyse(program_of(many(5)), jobs=3)
    assert begun
    for fork in begun:
        with pytest.raises(ValueError, match="closed"):
            fork._process.is_alive()


def test_where_no_process_begins_one_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = many(5)

    def full(*_: object) -> None:
        raise OSError("there is no memory")

    monkeypatch.setattr("devfix.analysis.reuse.ahead.Fork", full)
    assert told(analyse(program_of(texts), jobs=3)) == told(analyse(program_of(texts)))


@pytest.fixture
def fork() -> Iterator[Callable[[Callable[[Any], Any]], Fork]]:
    """Makes forks, and ends them."""
    made: list[Fork] = []

    def make(answer: Callable[[Any], Any]) -> Fork:
        made.append(Fork(answer, made))
        return made[-1]

    yield make
    for each in made:
        each.end()


def test_a_fork_answers(fork: Callable[[Callable[[Any], Any]], Fork]) -> None:
    double, half = fork(lambda x: 2 * x), fork(lambda x: x / 2)
    assert double.ask(3)
    assert answering([double, half]) == [double]
    assert double.answer() == 6
    assert answering([double, half], 0) == []
    assert half.ask("text")  # it raises there
    assert half.answer() is None


def test_one_job_has_no_others(taken: list[bool]) -> None:
    analyse(program_of(many(9)))
    assert not taken


def test_one_process_that_helps_needs_more_to_do(monkeypatch: pytest.MonkeyPatch, taken: list[bool]) -> None:
    program = program_of(many(9))
    monkeypatch.setattr(entries, "_MUCH", sum(len(source.text) for source in program.sources.values()) // 2)
    analyse(program, jobs=2)
    assert not taken
    analyse(program, jobs=4)
    assert taken
