"""Verification: a repository's own command before and after, and which failures are ours."""

from __future__ import annotations

import enum
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devfix.migration.campaign import Campaign
from devfix.migration.scrubbing import is_secret
from devfix.migration.steps import Outcome, StepEndError
from devfix.sandbox.box import boxed
from devfix.sandbox.ending import LIMITS, Ending
from devfix.sandbox.limits import MIB, Limits
from devfix.sandbox.replica import TooLargeError
from devfix.sandbox.supervision import SandboxError

#: How pytest and unittest name what fails in their summaries.
_FAILING = (
    re.compile(r"^(?:FAILED|ERROR) ([^\s:]+(?:::\S.*?)?)(?: - .*)?$", re.MULTILINE),
    re.compile(r"^(?:FAIL|ERROR): (\w+ \([\w.]+\))", re.MULTILINE),
)
_MOST_FAILING = 2000
#: How much of what a command prints is read, and how much of that is kept.
_HEAD, _TAIL = MIB // 8, MIB // 4
_KEPT_HEAD, _KEPT_TAIL = 16_384, 49_152


class Judgement(str, enum.Enum):
    """What two runs of a verify command say of the change between them."""

    PASSES = "passes"
    MENDED = "mended"
    FAILED_BEFORE = "failed-before"
    FLAKY = "flaky"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """One run of a command: its exit status (or the limit it exceeded) and the tests it names as failing."""

    status: int | None
    limit: str | None
    seconds: float
    failing: tuple[str, ...]
    output: str

    @property
    def passes(self) -> bool:
        """Whether the command was content."""
        return self.status == 0 and self.limit is None

    @property
    def data(self) -> dict[str, Any]:
        """All but the output, as plain data."""
        return {
            "status": self.status,
            "limit": self.limit,
            "run_seconds": round(self.seconds, 3),
            "failing": list(self.failing),
            "passes": self.passes,
        }

    @property
    def told(self) -> str:
        """How it ended, in words."""
        if self.limit is not None:
            return LIMITS.get(self.limit, self.limit)
        if self.passes:
            return "passes"
        tests = f", {len(self.failing)} failing" if self.failing else ""
        return f"exit status {self.status}{tests}"


def run_command(command: str, tree: Path, campaign: Campaign, temporary: Path) -> Check:
    """Run a command in a copy of the tree, within limits; raises StepEndError."""
    limits = Limits(
        seconds=campaign.limits.verify,
        memory=campaign.limits.memory,
        head=_HEAD,
        tail=_TAIL,
        output=256 * MIB,
    )
    usual, tempfile.tempdir = tempfile.tempdir, str(temporary)
    try:
        with boxed(tree, max_copy=2 * campaign.limits.repository, network=campaign.network) as box:
            ending = box.run(["/bin/sh", "-c", command], tree, limits, _without_secrets(os.environ))
    except (SandboxError, TooLargeError) as error:
        raise StepEndError(Outcome.FAILED, f"the verify command cannot be run: {error}") from error
    finally:
        tempfile.tempdir = usual
    return _check(ending)


def _without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """What tests run needs no credentials of the user's."""
    return {name: "" for name in environment if is_secret(name)}


def _check(ending: Ending) -> Check:
    output = ending.output + ending.errors
    return Check(ending.status, ending.limit, ending.seconds, failing_tests(output), _short(output))


def _short(output: str) -> str:
    left_out = len(output) - _KEPT_HEAD - _KEPT_TAIL
    if left_out <= 0:
        return output
    return f"{output[:_KEPT_HEAD]}\n[... {left_out} characters left out ...]\n{output[-_KEPT_TAIL:]}"


def failing_tests(output: str) -> tuple[str, ...]:
    """The tests that a summary names as failing, each once."""
    found = (match.strip() for pattern in _FAILING for match in pattern.findall(output))
    return tuple(sorted(set(found)))[:_MOST_FAILING]


def judge(before: Mapping[str, Any], after: Check) -> tuple[Judgement, tuple[str, ...]]:
    """What the runs say, and the tests that only fail after.

    A failure that was there before is not ours: the same tests fail, or, where none are named, the
    command fails in the same way.
    """
    if after.passes:
        return (Judgement.PASSES if before["passes"] else Judgement.MENDED), ()
    if before["passes"]:
        return Judgement.BROKEN, after.failing
    ours = tuple(sorted(set(after.failing) - set(before["failing"])))
    same_way = (before["status"], before["limit"]) == (after.status, after.limit)
    named = bool(after.failing) and bool(before["failing"])
    if ours or not (named or same_way):
        return Judgement.BROKEN, ours
    return Judgement.FAILED_BEFORE, ()


def broken_reason(command: str, before: Mapping[str, Any], after: Check, ours: Sequence[str]) -> str:
    """Why a change is refused."""
    first = ", ".join(ours[:3]) + (f" and {len(ours) - 3} more" if len(ours) > 3 else "")
    how = f"{first} fail{'s' * (len(ours) == 1)}" if ours else after.told
    was = "passes" if before["passes"] else "fails otherwise"
    return f"`{command}` {was} before and not after the change: {how}"
