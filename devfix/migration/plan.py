"""Plan: what a run would do, said without doing any of it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from devfix.config import ConfigError, Settings
from devfix.engine import Engine
from devfix.migration.campaign import Campaign, CampaignError, Repository
from devfix.migration.campaign_run import orders_for
from devfix.migration.order import ENGINES, Order
from devfix.migration.pipeline import next_step
from devfix.migration.reading import RepositoryReading
from devfix.migration.state import opened
from devfix.migration.steps import Step
from devfix.registry import load


def check_rules(campaign: Campaign) -> None:
    """Raise CampaignError when the campaign names a rule that does not exist."""
    loaded = load()
    sys.stderr.writelines(f"error: {fault}\n" for fault in loaded.faults)
    for key in ("select", "ignore"):
        try:
            _ = Engine(loaded.rules, Settings(ignore=getattr(campaign, key))).selection
        except ConfigError as error:  # noqa: PERF203 - there are two
            raise CampaignError(f"{campaign.where(key)}: `campaign.{key}`: {error}") from error


def render_plan(campaign: Campaign) -> str:
    """What a run would do, repository by repository."""
    return "".join(f"{line}\n" for line in _plan(campaign))


def _plan(campaign: Campaign) -> Iterator[str]:
    yield f"campaign {campaign.name}: branch {campaign.branch}, everything below {campaign.place}"
    fixes = "safe and unsafe fixes" if campaign.unsafe else "safe fixes"
    chosen = f" of {', '.join(campaign.select)}" if campaign.select else ""
    yield f"{fixes}{chosen}{', adopting a device' if campaign.adopt else ''}, by the {campaign.engine} engine"
    if campaign.engine == "ray" and importlib.util.find_spec(ENGINES["ray"][0]) is None:
        yield "the ray engine is not installed"
    yield ""
    for repository, known in _known(campaign):
        yield f"{repository.name} ({repository.source.shown})"
        yield f"  {_next(campaign, repository, known)}"
    if campaign.left_out:
        yield f"left out by `exclude`: {', '.join(campaign.left_out)}"
    yield ""
    yield "Nothing is pushed without --push, and no pull request opened without --open."


def _known(campaign: Campaign) -> Iterator[tuple[Repository, Order | None]]:
    if not campaign.state.is_file():
        yield from ((repository, None) for repository in campaign.repositories)
        return
    with opened(campaign.state) as state:
        yield from ((order.repository, order) for order in orders_for(campaign, state, campaign.repositories))


def _next(campaign: Campaign, repository: Repository, known: Order | None) -> str:
    source = repository.source
    if source.is_path and not Path(source.address).exists():
        return "does not exist: would fail"
    step = Step.FETCH if known is None else next_step(known)
    if step is None and known is not None:
        reading = RepositoryReading(repository.key, repository.name, source.shown, known.kept)
        return f"is done: {reading.standing.value}{': ' * bool(reading.reason)}{reading.reason}"
    steps = [each for each in Step if not each.is_public and step and each.position >= step.position]
    return "would " + ", ".join(_words(campaign, repository, steps))


def _words(campaign: Campaign, repository: Repository, steps: list[Step]) -> Iterator[str]:
    revision = f" {repository.revision}" if repository.revision else ""
    if Step.FETCH in steps:
        yield f"fetch{revision}"
    if Step.APPLY in steps:
        yield "check and apply"
    yield "where that changes something: check again"
    if repository.verify:
        yield f"run `{repository.verify}` before and after, with the network {'on' if campaign.network else 'off'}"
    if repository.prove:
        yield f"prove `{repository.prove}`"
    yield "commit and write a patch"
