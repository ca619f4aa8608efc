"""ProgramRecord: what devfix made of one program, and how each form of it ended; and the table of many.

Needs the standard library alone: the simulated accelerator and a real one are asked the same questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from repair.runs import Ran

#: What a program is expected to do as it stands.
FAILING, CORRECT, ADOPTED = "failing", "correct", "without a device"
#: The folders of a program: as it stands, and after each command.
SIDES = BEFORE, DEFAULT, UNSAFE, HEALED = "before", "default", "unsafe", "with_run"


@dataclass(frozen=True)
class ProgramRecord:
    """One program; ``hidden`` is how its forms ended where no accelerator was to be seen."""

    name: str
    kind: str
    changed: bool
    settled: bool
    lines: int
    ends: Mapping[str, Ran]
    hidden: Mapping[str, Ran] = field(default_factory=dict)

    @property
    def counts(self) -> bool:
        """Whether it does here what is expected of it: fails, or runs."""
        return (self.ends[BEFORE].result is None) == (self.kind == FAILING)

    def runs(self, *sides: str) -> bool:
        """Whether it ended with a result after one of these commands."""
        return any(side in self.ends and self.ends[side].result is not None for side in sides)

    def told(self) -> dict[str, Any]:
        """The same as plain data."""
        return {**asdict(self), "counts": self.counts}


@dataclass(frozen=True)
class Question:
    """Something asked of each program of a kind; None is the answer where it was not looked at."""

    kind: str
    words: str
    answer: Callable[[ProgramRecord], bool | None]
    reason: Callable[[ProgramRecord], str]
    listed: bool = True


def _as_before(ends: Mapping[str, Ran]) -> bool | None:
    """Whether it ended with the number after the fixes that it ended with before them."""
    if UNSAFE not in ends or ends[BEFORE].result is None:
        return None
    one, other = ends[BEFORE].result, ends[UNSAFE].result
    if one is None or other is None:
        return False
    # A GPU adds up in another order each time.
    return math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-5)


def _numbers(ends: Mapping[str, Ran]) -> str:
    after = ends[UNSAFE]
    return after.error if after.result is None else f"{after.result} instead of {ends[BEFORE].result}"


def _place(ran: Ran) -> str:
    return ran.error if ran.result is None else f"trained on {', '.join(ran.trained_on) or 'nothing'}"


def _error(side: str) -> Callable[[ProgramRecord], str]:
    return lambda record: record.ends[side].error if side in record.ends else "not tried"


def _anywhere(kind: str) -> Question:
    """What runs without an accelerator as it stands ends there with its number after the fixes, too."""
    words = "same number without an accelerator"
    return Question(kind, words, lambda r: _as_before(r.hidden), lambda r: _numbers(r.hidden))


QUESTIONS = (
    Question(FAILING, "run after apply", lambda r: r.runs(DEFAULT), _error(DEFAULT), listed=False),
    Question(FAILING, "run after apply --unsafe", lambda r: r.runs(UNSAFE), _error(UNSAFE)),
    Question(
        FAILING, "run after that or run --fix --unsafe", lambda r: r.runs(UNSAFE, HEALED), _error(HEALED)
    ),
    _anywhere(FAILING),
    Question(CORRECT, "left alone to the byte by apply", lambda r: not r.changed, lambda _: "changed"),
    Question(
        CORRECT, "same number after apply --unsafe", lambda r: _as_before(r.ends), lambda r: _numbers(r.ends)
    ),
    _anywhere(CORRECT),
    Question(
        ADOPTED,
        "train on the accelerator alone after apply --unsafe --adopt",
        lambda r: r.ends[UNSAFE].adopted,
        lambda r: _place(r.ends[UNSAFE]),
    ),
    Question(ADOPTED, "same number there", lambda r: _as_before(r.ends), lambda r: _numbers(r.ends)),
    _anywhere(ADOPTED),
    Question("", "unchanged by a second apply --unsafe", lambda r: r.settled, lambda _: "changed again"),
)


def table(records: Sequence[ProgramRecord]) -> Iterator[str]:
    """How many of each kind count, and the share of yes for each question."""
    for kind in (FAILING, CORRECT, ADOPTED, ""):
        group = [record for record in records if record.counts and kind in ("", record.kind)]
        every = sum(kind in ("", record.kind) for record in records)
        if every:
            yield f"{kind or 'all'}: {len(group)} of {every} programs count"
            yield from _shares(kind, group)


def _shares(kind: str, group: Sequence[ProgramRecord]) -> Iterator[str]:
    for question in QUESTIONS:
        answers = [question.answer(record) for record in group if question.kind == kind]
        told = [answer for answer in answers if answer is not None]
        if told:
            yield f"  {question.words:62}{sum(told):5} of {len(told):4}{sum(told) / len(told):8.1%}"


def shortfalls(record: ProgramRecord) -> Iterator[str]:
    """What did not go well with a program, a line each."""
    if not record.counts:
        before = record.ends[BEFORE]
        yield f"does not count  {record.name}: {before.error if before.result is None else 'it runs'}"
        return
    for question in QUESTIONS:
        asked = question.listed and question.kind in ("", record.kind)
        if asked and question.answer(record) is False:
            yield f"NOT  {record.name}  {question.words}: {question.reason(record)}"
