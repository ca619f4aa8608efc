"""Verdict: what the runs of one program prove."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from devfix.proof.comparison import Comparison
from devfix.proof.run import Run


class Verdict(str, enum.Enum):
    """The five words of a proof.

    FIXED
        It failed as it was, and runs as rewritten.
    WAS_FINE
        It runs as it is, and as rewritten where anything would be.
    STILL_FAILS
        It fails for its devices or dtypes, before and after.
    CHANGED_RESULT
        It runs as rewritten, but does not come to the same result.
    CANNOT_RUN
        Nothing could be proven; the reason says why.
    """

    FIXED = "fixed"
    WAS_FINE = "was-fine"
    STILL_FAILS = "still-fails"
    CHANGED_RESULT = "changed-result"
    CANNOT_RUN = "cannot-run"


class Stage(enum.Enum):
    """The runs of a proof: the text that is run, and whether an accelerator is there."""

    BEFORE = "before"
    AFTER = "after"
    REFERENCE = "reference"
    BEFORE_ON_CPU = "before on the CPU"

    @property
    def rewritten(self) -> bool:
        """Whether the program runs with the fixes."""
        return self in (Stage.AFTER, Stage.REFERENCE)

    @property
    def on_cpu(self) -> bool:
        """Whether the program sees no accelerator."""
        return self in (Stage.REFERENCE, Stage.BEFORE_ON_CPU)


@dataclass(frozen=True, slots=True)
class Changes:
    """What would be written: how many files and findings, and whether by safe fixes alone."""

    files: tuple[str, ...] = ()
    findings: int = 0
    safe: bool = True


NO_CHANGES = Changes()


@dataclass(frozen=True, slots=True)
class Proof:
    """The verdict on one program, the reason for it, and the runs it rests on.

    ``expected`` is false when the program did otherwise than its case says, whatever the verdict.
    """

    program: str
    verdict: Verdict
    reason: str = ""
    notes: tuple[str, ...] = ()
    changes: Changes = NO_CHANGES
    runs: tuple[tuple[Stage, Run], ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    expected: bool = True

    @property
    def proven(self) -> bool:
        """Whether the rewritten program (or, unchanged, the program) is known to be right."""
        return self.expected and self.verdict in (Verdict.FIXED, Verdict.WAS_FINE)

    @property
    def seconds(self) -> float:
        """How long its runs took together."""
        return sum(run.ending.seconds for _, run in self.runs)

    def run(self, stage: Stage) -> Run | None:
        """The run of a stage, where it took place."""
        return dict(self.runs).get(stage)
