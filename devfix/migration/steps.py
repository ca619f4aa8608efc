"""Steps: what is done to a repository, in order, and how each step ended."""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class Step(str, enum.Enum):
    """The steps in their order; the last two happen on request."""

    FETCH = "fetch"
    APPLY = "apply"
    RECHECK = "recheck"
    VERIFY_BEFORE = "verify-before"
    VERIFY_AFTER = "verify-after"
    PROVE = "prove"
    COMMIT = "commit"
    PUSH = "push"
    PROPOSE = "propose"

    @property
    def position(self) -> int:
        """Where it stands in the order."""
        return list(Step).index(self)

    @property
    def is_public(self) -> bool:
        """Whether others see what it does."""
        return self in (Step.PUSH, Step.PROPOSE)


class Outcome(str, enum.Enum):
    """How a step ended.

    DONE lets the next step follow; SKIPPED ends the work on a repository for a reason that is no
    fault, FAILED for one that is; a TRANSIENT fault may be gone the next time.
    """

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"
    TRANSIENT = "transient"

    @property
    def is_final(self) -> bool:
        """Whether a step that ended so need not be done again."""
        return self is not Outcome.TRANSIENT


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step went. It says everything: ``data`` is plain, ``files`` are what it made.

    ``input`` is a hash of all it depended on; as long as that is the same, so is the result.
    """

    step: Step
    input: str
    outcome: Outcome
    reason: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    log: str = ""
    started: float = 0.0
    seconds: float = 0.0
    attempts: int = 1

    @property
    def ends(self) -> bool:
        """Whether no further step follows."""
        return self.outcome is not Outcome.DONE


class StepEndError(Exception):
    """Raised within a step that cannot come to its usual end."""

    def __init__(
        self, outcome: Outcome, reason: str, log: str = "", data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.log = log
        self.data = dict(data or {})


@dataclass(frozen=True, slots=True)
class Made:
    """What a step that went well has to show."""

    data: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    log: str = ""


def digest(*parts: object) -> str:
    """A hash of plain values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]
