"""Campaign run: from a campaign to its state, patches, branches and pull requests."""

from __future__ import annotations

import fnmatch
import importlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from devfix.migration.campaign import Campaign, CampaignError, Repository
from devfix.migration.git import identity
from devfix.migration.lock import locked
from devfix.migration.order import ENGINES, Began, Engine, Event, Finished, Order
from devfix.migration.patches import write_patches
from devfix.migration.pipeline import next_step
from devfix.migration.progress import Progress
from devfix.migration.proving_run import find_campaign_witness
from devfix.migration.publishing import Publisher
from devfix.migration.reading import CampaignReading, RepositoryReading, Standing, read
from devfix.migration.scrubbing import Scrubber, secrets_of
from devfix.migration.state import State, opened
from devfix.migration.steps import Step
from devfix.proof.witness import Witness, WitnessError
from devfix.sandbox.supervision import strongest_isolation


@dataclass(frozen=True, slots=True)
class RunWishes:
    """What a run is to do. ``only`` are globs of names; ``again`` says which repositories are done anew from a step."""

    push: bool = False
    open: bool = False
    close: bool = False
    refresh: bool = False
    again: frozenset[Standing] = frozenset()
    only: tuple[str, ...] = ()
    concurrency: int = 0
    engine: str = ""


def run_campaign(campaign: Campaign, wishes: RunWishes, progress: Progress) -> CampaignReading:
    """Do what is left to do; raises CampaignError and CampaignLockedError."""
    with locked(campaign.place), opened(campaign.state, writes=True) as state:
        state.register(campaign, _begun())
        _clear_away(campaign)
        number = state.begin_run()
        try:
            _Run(campaign, wishes, state, progress).do()
        except KeyboardInterrupt:
            state.end_run(number, "interrupted")
            raise
        state.end_run(number, "ended")
        return read(state)


def orders_for(
    campaign: Campaign, state: State, repositories: Sequence[Repository], witness: Witness | None = None
) -> Iterator[Order]:
    """An order for each repository with what is known of it."""
    author, when = identity(), int(state.value("when") or 0)
    secrets = frozenset(secrets_of(each.source.address for each in campaign.repositories))
    for repository in repositories:
        kept = state.results(repository.key)
        yield Order(campaign, repository, kept, when, author, witness, secrets)


def chosen(repository: Repository, only: Sequence[str]) -> bool:
    """Whether a run is asked to look at a repository."""
    names = (repository.name, repository.key, repository.source.shown)
    return not only or any(fnmatch.fnmatchcase(name, glob) for name in names for glob in only)


def load_engine(name: str, concurrency: int) -> Engine:
    """The engine of a name; raises CampaignError when it is not there."""
    module, cls = ENGINES[name]
    try:
        made: Engine = getattr(importlib.import_module(module), cls)(concurrency)
    except ImportError as error:
        raise CampaignError(
            f"the engine `{name}` is not there: {error}; pip install 'devfix[{name}]' (in a checkout: '.[{name}]')"
        ) from error
    return made


class _Run:
    def __init__(self, campaign: Campaign, wishes: RunWishes, state: State, progress: Progress) -> None:
        self.campaign = campaign
        self.wishes = wishes
        self.state = state
        self.progress = progress
        self.repositories = [each for each in campaign.repositories if chosen(each, wishes.only)]
        self.names = {each.key: each for each in campaign.repositories}
        if not self.repositories:
            raise CampaignError("no repository of the campaign has such a name")

    def do(self) -> None:
        if self.wishes.close:
            self._close()
            return
        self._forget()
        name = self.wishes.engine or self.campaign.engine
        engine = load_engine(name, self.wishes.concurrency or self.campaign.concurrency)
        pending = self._pending()
        self.progress.begin(len(pending), len(self.repositories) - len(pending))
        engine.run(self._orders(pending), self._hear)
        for repository in self.repositories:
            write_patches(self.campaign.patches, repository.key, self.state.results(repository.key))
        self._publish()

    def _forget(self) -> None:
        """Have done again what is asked for, by forgetting it."""
        for reading in read(self.state).repositories:
            if not chosen(self.names[reading.key], self.wishes.only):
                continue
            if self.wishes.refresh:
                self.state.forget(reading.key, Step.FETCH)
            elif reading.standing in self.wishes.again:
                ending = reading.ending
                self.state.forget(reading.key, _first_again(ending.step) if ending else Step.FETCH)

    def _pending(self) -> set[str]:
        """The repositories with something left to do."""
        orders = orders_for(self.campaign, self.state, self.repositories)
        return {order.repository.key for order in orders if next_step(order) is not None}

    def _orders(self, pending: set[str]) -> Iterator[Order]:
        repositories = [each for each in self.repositories if each.key in pending]
        if any(each.verify or each.prove for each in repositories):
            # Found by trying, once for all the processes to come.
            strongest_isolation()
        # Each machine of a cluster has an interpreter of its own.
        is_local = (self.wishes.engine or self.campaign.engine) == "local"
        witness = self._witness(repositories) if is_local else None
        yield from orders_for(self.campaign, self.state, repositories, witness)

    def _witness(self, repositories: Sequence[Repository]) -> Witness | None:
        if not any(each.prove for each in repositories):
            return None
        try:
            return find_campaign_witness(self.campaign)
        except WitnessError as error:
            raise CampaignError(f"{self.campaign.where('prove')}: nothing can be proven: {error}") from error

    def _hear(self, event: Event) -> None:
        if isinstance(event, Began):
            self.progress.began(self.names[event.key].name, event.step)
        elif isinstance(event, Finished):
            self.state.record(event.key, event.result)
        else:
            write_patches(self.campaign.patches, event.key, self.state.results(event.key))
            self._tell_done(event.key)

    def _tell_done(self, key: str) -> None:
        repository = self.names[key]
        results = self.state.results(key)
        self.progress.done(RepositoryReading(key, repository.name, repository.source.shown, results))

    def _publisher(self) -> Publisher:
        scrub = Scrubber(secrets_of(each.source.address for each in self.campaign.repositories))
        return Publisher(self.campaign, self.state, self._order_of, scrub, self.progress.say)

    def _order_of(self, repository: Repository) -> Order:
        return next(orders_for(self.campaign, self.state, [repository]))

    def _publish(self) -> None:
        publisher, wishes = self._publisher(), self.wishes
        standings = {each.key: each.standing for each in read(self.state).repositories}
        for repository in self.repositories:
            changed = standings.get(repository.key) is Standing.CHANGED
            if changed and (wishes.push or wishes.open):
                publisher.push(repository)
            if changed and wishes.open:
                publisher.propose(repository)
            if not changed and wishes.open:
                publisher.close(repository, "there is nothing to change any more")

    def _close(self) -> None:
        publisher = self._publisher()
        for repository in self.repositories:
            publisher.close(repository, "the campaign was called off")


def _begun() -> int:
    """The time that commits are signed with: that of the first run, or what reproducible builds say."""
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(told) if told.isdecimal() else int(time.time())


def _clear_away(campaign: Campaign) -> None:
    """Delete what killed runs left; nobody else is at work here."""
    shutil.rmtree(campaign.place / "work", ignore_errors=True)
    with suppress(OSError):
        for left in (campaign.place / "clones").glob(".*"):
            shutil.rmtree(left, ignore_errors=True)


def _first_again(step: Step) -> Step:
    """Where to begin again after a step failed: what a command needs may be there now, also for its run before."""
    return Step.VERIFY_BEFORE if step is Step.VERIFY_AFTER else step
