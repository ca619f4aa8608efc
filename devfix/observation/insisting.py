"""Insisting: programs that catch the errors of their mismatches, and fail all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from devfix.observation.trial import Stage, Trial


@dataclass(frozen=True)
class Insisting:
    """A stage whose runs show mismatches and go on even where the program has an answer to them."""

    stage: Stage

    def run(self, texts: Mapping[str, str], mode: str, kind: str = "") -> Trial:
        """Run the program with other text in some files; without a ``kind`` on the stage's own accelerator."""
        mode = "insist" if mode == "heal" else mode
        return self.stage.run(texts, mode, kind) if kind else self.stage.run(texts, mode)

    def locate(self, file: str) -> str | None:
        """The project's path of a file of the run; None for one that is none of its own."""
        return self.stage.locate(file)


def hides(trial: Trial) -> bool:
    """Whether a run shows no mismatch, though the program failed: it may have caught what it failed of."""
    record = trial.record
    return record is not None and not record.mismatches and (not trial.is_well or bool(trial.outcome.status))
