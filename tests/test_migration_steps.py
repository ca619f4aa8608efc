"""Single steps: what failures are ours, what is tried again, and workers that die or hang."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from fleet import FIXABLE, make_repository

from devfix import judgement
from devfix.migration import local_engine, pipeline, proving_run
from devfix.migration.campaign import Campaign, Limits, Repository
from devfix.migration.hub import home_of
from devfix.migration.local_engine import LocalEngine
from devfix.migration.order import Began, Event, Finished, Left, Order, Tell
from devfix.migration.rewriting import engine_for
from devfix.migration.source_name import parse_source
from devfix.migration.steps import Made, Outcome, Step, StepResult
from devfix.migration.verification import Check, Judgement, failing_tests, judge
from devfix.runner import Task, run_paths

forks = pytest.mark.skipif(sys.platform != "linux", reason="the stand-ins are handed on by forking")


def check(status: int | None, *failing: str, limit: str | None = None) -> Check:
    return Check(status, limit, 1.0, failing, "")


OK = check(0)


@pytest.mark.parametrize(
    ("before", "after", "judgement", "ours"),
    [
        (OK, OK, Judgement.PASSES, ()),
        (check(1, "a"), OK, Judgement.MENDED, ()),
        (OK, check(1, "a"), Judgement.BROKEN, ("a",)),
        (OK, check(1), Judgement.BROKEN, ()),
        (check(1, "a"), check(1, "a"), Judgement.FAILED_BEFORE, ()),
        (check(1, "a", "b"), check(1, "a"), Judgement.FAILED_BEFORE, ()),
        (check(1, "a"), check(1, "a", "b"), Judgement.BROKEN, ("b",)),
        (check(1), check(1), Judgement.FAILED_BEFORE, ()),
        (check(1), check(2), Judgement.BROKEN, ()),
        (check(2), check(1, "a"), Judgement.BROKEN, ("a",)),
        (check(None, limit="time"), check(None, limit="time"), Judgement.FAILED_BEFORE, ()),
        (check(1), check(None, limit="time"), Judgement.BROKEN, ()),
        (check(0), check(0, limit="time"), Judgement.BROKEN, ()),
    ],
)
def test_only_failures_that_were_not_there_are_ours(
    before: Check, after: Check, judgement: Judgement, ours: tuple[str, ...]
) -> None:
    assert judge(before.data, after) == (judgement, ours)


def test_failing_tests_are_read_off_summaries() -> None:
    output = """
FAILED tests/test_a.py::test_x[a b] - AssertionError: FAILED nothing
FAILED tests/test_a.py::TestY::test_z
ERROR tests/test_b.py - ImportError
ERROR: test_q (tests.test_c.Case)
FAIL: test_r (tests.test_c.Case)
ERROR: could not open
"""
    assert failing_tests(output) == (
        "test_q (tests.test_c.Case)",
        "test_r (tests.test_c.Case)",
        "tests/test_a.py::TestY::test_z",
        "tests/test_a.py::test_x[a b]",
        "tests/test_b.py",
    )


@pytest.mark.parametrize(
    ("address", "home"),
    [
        ("https://github.com/o/r.git", "o/r"),
        ("git@github.com:o/r.git", "o/r"),
        ("ssh://git@github.com/o/r", "o/r"),
        ("https://u:p@git.example/o/r/", "git.example/o/r"),
        ("https://git.example/group/sub/r", ""),
        ("file:///srv/o/r.git", ""),
        ("../o/r", ""),
    ],
)
def test_pull_requests_live_where_the_address_says(address: str, home: str) -> None:
    assert home_of(Repository(parse_source(address, Path("/x")), "r")) == home


def order_for(tmp_path: Path, address: str, **changes: Any) -> Order:
    repository = Repository(parse_source(address, tmp_path), "r")
    campaign = Campaign("gpu", tmp_path / "gpu", "devfix/gpu", (repository,), **changes)
    return Order(campaign, repository, when=1_700_000_000, author="A <a@b>")


def test_a_passing_reason_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "PAUSES", (0.0, 0.0))
    events: list[Event] = []
    # Nobody listens there.
    pipeline.work(order_for(tmp_path, "http://127.0.0.1:9/o/r.git"), events.append)
    (result,) = (event.result for event in events if isinstance(event, Finished))
    assert (result.step, result.outcome, result.attempts) == (Step.FETCH, Outcome.TRANSIENT, 3)


def test_steps_come_in_order_and_are_kept_by_their_input(tmp_path: Path) -> None:
    make_repository(tmp_path / "r", {"train.py": FIXABLE})
    order = order_for(tmp_path, "r")

    def steps_of(order: Order) -> tuple[list[Step], dict[Step, StepResult]]:
        events: list[Event] = []
        pipeline.work(order, events.append)
        results = {event.result.step: event.result for event in events if isinstance(event, Finished)}
        return [event.step for event in events if isinstance(event, Began)], {**order.kept, **results}

    every, results = steps_of(order)
    assert every == [Step.FETCH, Step.APPLY, Step.RECHECK, Step.COMMIT]
    assert pipeline.next_step(replace(order, kept=results)) is None
    assert steps_of(replace(order, kept=results))[0] == []
    # Another message needs another commit and nothing else, also where the clone is gone.
    said = replace(order, campaign=replace(order.campaign, message="B"), kept=results)
    assert steps_of(said)[0] == [Step.COMMIT]
    wanted = replace(order, campaign=replace(order.campaign, unsafe=True), kept=results)
    assert steps_of(wanted)[0] == [Step.APPLY, Step.RECHECK, Step.COMMIT]


def test_what_was_recorded_is_made_again_elsewhere(tmp_path: Path) -> None:
    make_repository(tmp_path / "r", {"train.py": FIXABLE})
    order = order_for(tmp_path, "r")
    events: list[Event] = []
    pipeline.work(order, events.append)
    results = {event.result.step: event.result for event in events if isinstance(event, Finished)}
    kept = {step: results[step] for step in (Step.FETCH, Step.APPLY)}
    there = replace(order, campaign=replace(order.campaign, place=tmp_path / "elsewhere"), kept=kept)
    events.clear()
    pipeline.work(there, events.append)
    again = {event.result.step: event.result for event in events if isinstance(event, Finished)}
    assert [result.reason for result in again.values()] == ["", ""]
    assert list(again) == [Step.RECHECK, Step.COMMIT]
    assert again[Step.COMMIT].data == results[Step.COMMIT].data
    assert again[Step.COMMIT].files == results[Step.COMMIT].files


def test_parts_of_the_work_come_to_the_same_as_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_repository(tmp_path / "r", {"train.py": FIXABLE})
    proof = Made({"verdicts": {"fixed": 1}, "programs": []})
    monkeypatch.setattr(proving_run, "prove", lambda *_: proof)
    monkeypatch.setattr(proving_run, "find_campaign_witness", lambda _: None)
    whole = order_for(tmp_path, "r")
    repository = replace(whole.repository, prove="train.py")
    whole = replace(whole, repository=repository)
    events = list(pipeline.events(whole))
    at_once = [event.result for event in events if isinstance(event, Finished)]
    # As a cluster does it: up to the proof, the proof, the rest, each with what was made before.
    part, kept = (
        replace(whole, campaign=replace(whole.campaign, place=tmp_path / "parts")),
        dict[Step, StepResult](),
    )
    for until, last in ((Step.PROVE, Step.RECHECK), (Step.COMMIT, Step.PROVE), (None, Step.COMMIT)):
        told = list(pipeline.events(replace(part, kept=kept), until))
        kept |= {event.result.step: event.result for event in told if isinstance(event, Finished)}
        assert list(kept)[-1] is last
        assert isinstance(told[-1], Left) is (until is None)
    assert [(each.step, each.input, each.data) for each in kept.values()] == [
        (each.step, each.input, each.data) for each in at_once
    ]


def run_engine(order: Order) -> list[Event]:
    events: list[Event] = []
    LocalEngine(1).run([order], events.append)
    return events


def ends_of(events: list[Event]) -> list[StepResult]:
    return [event.result for event in events if isinstance(event, Finished)]


@forks
def test_a_worker_that_dies_gets_a_second_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies_once(order: Order, tell: Tell) -> None:
        tell(Began("r", Step.FETCH, "i"))
        mark = tmp_path / "died"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        tell(Finished("r", StepResult(Step.FETCH, "i", Outcome.DONE)))
        tell(Left("r"))

    monkeypatch.setattr(local_engine, "work", dies_once)
    events = run_engine(order_for(tmp_path, "r"))
    assert [result.outcome for result in ends_of(events)] == [Outcome.DONE]
    assert events[-1] == Left("r")


@forks
def test_a_worker_that_dies_twice_ends_its_repository_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(order: Order, tell: Tell) -> None:
        tell(Finished(order.repository.key, StepResult(Step.FETCH, "f", Outcome.DONE)))
        tell(Began(order.repository.key, Step.APPLY, "i"))
        os.kill(os.getpid(), signal.SIGUSR1)

    monkeypatch.setattr(local_engine, "work", dies)
    order = order_for(tmp_path, "r")
    events = run_engine(order)
    last = ends_of(events)[-1]
    assert (last.step, last.input, last.outcome) == (Step.APPLY, "i", Outcome.FAILED)
    assert last.reason == "the process that worked on it died (SIGUSR1)"
    assert events[-1] == Left(order.repository.key, "lost")


@forks
def test_a_worker_that_falls_silent_before_it_dies_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies_slowly(order: Order, tell: Tell) -> None:
        tell(Began(order.repository.key, Step.APPLY, "i"))
        sender = getattr(tell, "__self__", None)
        assert isinstance(sender, Connection)
        sender.close()
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGUSR1)

    monkeypatch.setattr(local_engine, "work", dies_slowly)
    last = ends_of(run_engine(order_for(tmp_path, "r")))[-1]
    assert last.reason == "the process that worked on it died (SIGUSR1)"


@forks
def test_a_worker_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(order: Order, tell: Tell) -> None:
        tell(Began("r", Step.APPLY, "i"))
        time.sleep(600)

    monkeypatch.setattr(local_engine, "work", hangs)
    events = run_engine(order_for(tmp_path, "r", limits=Limits(analysis=0.2)))
    (last,) = ends_of(events)
    assert (last.outcome, last.reason) == (Outcome.FAILED, "did not end within 0.2 s")


@forks
def test_too_little_memory_ends_one_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # More than what this process was given and has not used yet.
    monkeypatch.setattr(judgement, "is_relevant", lambda _: bool(bytearray(1 << 30)))
    make_repository(tmp_path / "r", {"train.py": FIXABLE})
    events = run_engine(order_for(tmp_path, "r", limits=Limits(memory=1)))
    last = ends_of(events)[-1]
    assert (last.step, last.outcome) == (Step.APPLY, Outcome.FAILED)


def test_a_campaign_selects_rules_and_a_repository_spares_places(tmp_path: Path) -> None:
    (tmp_path / "devfix.toml").write_text(
        'ignore = ["DF102"]\nexclude = ["left.py"]\n[per-file-ignores]\n"spared.py" = ["DF102"]\n'
    )
    fault = 'import torch\nx = torch.zeros(3, device="cuda")\ny = x + torch.ones(3)'
    texts = {
        "named.py": fault,
        "spared.py": fault,
        "left.py": fault,
        "silent.py": f"{fault}  # devfix: ignore[DF102]",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n")

    def found(**wishes: tuple[str, ...]) -> list[str]:
        order = order_for(tmp_path, ".", **wishes)
        engine = engine_for(order.campaign, order.repository, tmp_path)
        return [Path(finding.path).name for finding in run_paths([tmp_path], engine, Task(), jobs=1).findings]

    assert found() == []
    assert found(select=("DF102",)) == ["named.py"]
