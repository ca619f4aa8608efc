"""Reading: where a campaign stands, as plain data for tables, exports and pages."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from devfix.migration.state import State
from devfix.migration.steps import Outcome, Step, StepResult


class Standing(str, enum.Enum):
    """Where a repository stands."""

    PENDING = "pending"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    TRANSIENT = "transient"


_ENDED = {
    Outcome.SKIPPED: Standing.SKIPPED,
    Outcome.FAILED: Standing.FAILED,
    Outcome.TRANSIENT: Standing.TRANSIENT,
}


@dataclass(frozen=True, slots=True)
class RepositoryReading:
    """What is known of one repository. Files and logs of its steps are asked of ``State.results``."""

    key: str
    name: str
    source: str
    results: Mapping[Step, StepResult] = field(default_factory=dict)

    @property
    def ending(self) -> StepResult | None:
        """The step that ended the work before its time."""
        own = (result for step, result in self.results.items() if not step.is_public)
        return next((result for result in own if result.ends), None)

    @property
    def standing(self) -> Standing:
        """Where it stands."""
        if self.ending is not None:
            return _ENDED[self.ending.outcome]
        if Step.COMMIT in self.results:
            return Standing.CHANGED
        applied = self.results.get(Step.APPLY)
        return Standing.UNCHANGED if applied and not applied.data["changed"] else Standing.PENDING

    @property
    def reason(self) -> str:
        """Why it stands there, or what is worth knowing of it."""
        if self.ending is not None:
            return self.ending.reason
        notes = [*self._notes(), *self._public_faults()]
        return "; ".join(notes)

    @property
    def fixed(self) -> int:
        """How many findings were fixed."""
        return int(self.data(Step.APPLY).get("fixed_count", 0))

    @property
    def left(self) -> int:
        """How many findings remain."""
        return int(self.data(Step.APPLY).get("left_count", 0))

    @property
    def unread(self) -> list[str]:
        """The files that devfix could not look at."""
        skipped = [each["path"] for each in self.data(Step.APPLY).get("unread", ()) if each["fault"]]
        return skipped + [each["path"] for each in self.data(Step.APPLY).get("crashes", ())]

    @property
    def changed_files(self) -> list[str]:
        """The files that were rewritten."""
        return list(self.data(Step.APPLY).get("changed", ()))

    @property
    def verified(self) -> str:
        """What the verify command says: a word of ``Judgement``, or nothing."""
        return str(self.data(Step.VERIFY_AFTER).get("judgement", ""))

    @property
    def proven(self) -> Mapping[str, int]:
        """How many programs got which verdict."""
        return dict(self.data(Step.PROVE).get("verdicts", {}))

    @property
    def pull_request(self) -> str:
        """The address of the pull request; nothing where there is none, or it was closed."""
        data = self.data(Step.PROPOSE)
        return str(data.get("url", "")) if data.get("state", "open") == "open" else ""

    @property
    def seconds(self) -> float:
        """How long all that took."""
        return sum(result.seconds for result in self.results.values())

    @property
    def ended(self) -> float:
        """When the last step ended, but for what others see."""
        own = (result for step, result in self.results.items() if not step.is_public)
        return max((result.started + result.seconds for result in own), default=0.0)

    def data(self, step: Step) -> Mapping[str, Any]:
        """What a step has to show."""
        result = self.results.get(step)
        return {} if result is None else result.data

    def _notes(self) -> list[str]:
        notes = []
        if self.unread:
            first = self.unread[0]
            more = f" and {len(self.unread) - 1} more" if len(self.unread) > 1 else ""
            notes.append(f"not read: {first}{more}")
        if self.verified in ("failed-before", "flaky", "mended"):
            notes.append(
                {"failed-before": "verify fails before too"}.get(self.verified, f"verify {self.verified}")
            )
        return notes

    def _public_faults(self) -> list[str]:
        public = (self.results.get(step) for step in Step if step.is_public)
        return [f"{each.step.value}: {each.reason}" for each in public if each is not None and each.ends]


@dataclass(frozen=True, slots=True)
class CampaignReading:
    """A campaign: its repositories in their order, and the runs there were."""

    name: str
    branch: str
    repositories: tuple[RepositoryReading, ...]
    runs: tuple[tuple[int, float, float | None, str], ...] = ()

    @property
    def standings(self) -> dict[Standing, int]:
        """How many repositories stand where."""
        counts = Counter(each.standing for each in self.repositories)
        return {standing: counts[standing] for standing in Standing if counts[standing]}

    @property
    def exit_code(self) -> int:
        """0 nothing to do, 1 changes or findings, 2 something failed or could not be looked at."""
        troubled = (Standing.FAILED, Standing.TRANSIENT)
        if any(
            each.standing in troubled or each.unread or _public_trouble(each) for each in self.repositories
        ):
            return 2
        return int(any(each.fixed or each.left for each in self.repositories))


def _public_trouble(reading: RepositoryReading) -> bool:
    public = (reading.results.get(step) for step in Step if step.is_public)
    return any(each is not None and each.outcome in (Outcome.FAILED, Outcome.TRANSIENT) for each in public)


def read(state: State) -> CampaignReading:
    """Where the campaign stands now."""
    results = state.all_results()
    repositories = tuple(
        RepositoryReading(key, name, source, results.get(key, {}))
        for key, name, source in state.repositories()
    )
    return CampaignReading(state.value("name"), state.value("branch"), repositories, tuple(state.runs()))
