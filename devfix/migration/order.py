"""Order: all that a worker needs to work on one repository, wherever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from devfix.migration.campaign import Campaign, Repository
from devfix.migration.steps import Step, StepResult
from devfix.proof.witness import Witness


@dataclass(frozen=True, slots=True)
class Order:
    """One repository, what is known of it, and how the work is signed.

    It can be pickled and sent to another machine: ``campaign.place`` is then a folder there, and what
    earlier steps made comes along in ``kept``.
    """

    campaign: Campaign
    repository: Repository
    kept: Mapping[Step, StepResult] = field(default_factory=dict)
    when: int = 0
    author: str = ""
    witness: Witness | None = None
    secrets: frozenset[str] = field(default=frozenset(), repr=False)


@dataclass(frozen=True, slots=True)
class Began:
    """A step of a repository began, with this input."""

    key: str
    step: Step
    input: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A step of a repository ended."""

    key: str
    result: StepResult


@dataclass(frozen=True, slots=True)
class Left:
    """Nothing more comes of a repository in this run. A ``fault`` is what ended its worker in the middle of a step."""

    key: str
    fault: str = ""


Event = Began | Finished | Left
Tell = Callable[[Event], None]


class Engine(Protocol):
    """Who has orders worked on: each in any place, in any order, and told of as it goes."""

    def run(self, orders: Iterable[Order], tell: Tell) -> None:
        """Work on all orders, each by ``pipeline.work``; ``tell`` is called in this process and thread."""


#: Where the engines are: module and class, loaded when one is asked for. A class is made with the number of
#: repositories to work on at a time.
ENGINES = {
    "local": ("devfix.migration.local_engine", "LocalEngine"),
    "ray": ("devfix.migration.ray_engine", "RayEngine"),
}
