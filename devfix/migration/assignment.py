"""Assignment: one order in somebody's hands, and what is known of how it goes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from devfix.migration.order import Began, Event, Finished, Order
from devfix.migration.steps import Outcome, Step, StepResult

#: Steps whose commands have limits of their own get so much more until they are given up.
_MARGIN = 120.0
#: Whoever works on it may be killed for what others do to the machine's memory, so there is another chance.
MOST_DEATHS = 2


@dataclass
class Assignment:
    """An order, the step that is being done, and when it has to be done."""

    order: Order
    deaths: int = 0
    began: Began | None = None
    deadline: float = float("inf")
    left: bool = False

    @property
    def key(self) -> str:
        """The repository."""
        return self.order.repository.key

    @property
    def is_overdue(self) -> bool:
        """Whether its step takes longer than it may."""
        return self.deadline <= time.monotonic()

    def note(self, event: Event) -> None:
        """Take in what was told of it."""
        if isinstance(event, Began):
            self.began = event
            self.deadline = time.monotonic() + allowed(self.order, event.step)
        elif isinstance(event, Finished):
            self.began, self.deadline = None, float("inf")
            # Whoever comes after goes on from there.
            self.order = replace(self.order, kept={**self.order.kept, event.result.step: event.result})
        else:
            self.left = True

    def again(self) -> Assignment | None:
        """The rest of the order for another worker after this one died; None when too many have."""
        deaths = self.deaths + 1
        return None if deaths >= MOST_DEATHS else Assignment(self.order, deaths)

    def overdue(self) -> Finished:
        """What is written of a step that took too long."""
        step = self.began.step if self.began else Step.FETCH
        return self.lost(f"did not end within {allowed(self.order, step):g} s")

    def died(self, how: str) -> Finished:
        """What is written of a step in which the one who did it died."""
        return self.lost(f"the process that worked on it died ({how})")

    def lost(self, reason: str) -> Finished:
        """What is written of a step that nobody finishes."""
        began = self.began or Began(self.key, Step.FETCH)
        result = StepResult(began.step, began.input, Outcome.FAILED, reason, started=time.time())
        return Finished(self.key, result)


def allowed(order: Order, step: Step) -> float:
    """How many seconds a step may take."""
    limits = order.campaign.limits
    if step is Step.FETCH:
        return 3 * limits.fetch + _MARGIN
    if step in (Step.APPLY, Step.RECHECK):
        return limits.analysis
    if step in (Step.VERIFY_BEFORE, Step.VERIFY_AFTER):
        return 2 * limits.verify + _MARGIN
    # How many programs there are to prove shows only then, each with several runs under a limit.
    return float("inf") if step is Step.PROVE else limits.fetch + _MARGIN
