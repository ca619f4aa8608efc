"""Trial: one run of a program, and where it is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from devfix.observation.record import Outcome, RunRecord

#: So much of the last line that a program printed is told.
_LINE = 200
_NUMBERS = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?|\bnan\b|[-+]?\binf\b")


@dataclass(frozen=True, slots=True)
class Trial:
    """One run: its record, what it printed and what it wrote to standard error; ``problem`` says why there is no record."""

    record: RunRecord | None
    output: str = ""
    problem: str = ""
    errors: str = ""

    @property
    def outcome(self) -> Outcome:
        """How the program ended."""
        return self.record.outcome if self.record is not None else Outcome("unfinished", None, self.problem)

    @property
    def is_well(self) -> bool:
        """Whether the program ended without an error."""
        return self.outcome.how in ("finished", "exited", "stopped") and self.outcome.error is None

    @property
    def is_clean(self) -> bool:
        """Whether nothing is wrong with the run."""
        return self.is_well and self.record is not None and not self.record.mismatches

    @property
    def faults(self) -> int:
        """How much is wrong with the run: its mismatches, and that it ended with an error."""
        mismatches = len(self.record.mismatches) if self.record is not None else 0
        return mismatches + (not self.is_well)

    def ends_as_well_as(self, other: Trial) -> bool:
        """Whether the program ended well: with the status 0, or with the one that the other ended well with."""
        status = self.outcome.status or 0
        return self.is_well and (not status or (other.is_well and status == other.outcome.status))

    def says_as_much_as(self, other: Trial) -> bool:
        """Whether both said the same, numbers aside: who answers errors by a message goes on after them."""
        return _words(self) == _words(other)

    @property
    def reason(self) -> str:
        """Why the program did not end well; "" when it did."""
        error = self.outcome.error
        if error is None:
            failed = self.outcome.how == "exited" and self.outcome.status
            return (
                f"it exited with status {self.outcome.status}{self._last_words}" if failed else self.problem
            )
        first = next(iter(error.message.strip().splitlines()), "")
        return f"{error.type}: {first}" if first else error.type

    @property
    def _last_words(self) -> str:
        """What the program said last, which is mostly why it left."""
        said = [line.strip() for line in (self.errors or self.output).splitlines() if line.strip()]
        return f" and said `{said[-1][:_LINE]}`" if said else ""


def _words(trial: Trial) -> list[str]:
    # What a warning or a traceback quotes is indented, and differs where the text does.
    said = [*trial.output.splitlines(), *(line for line in trial.errors.splitlines() if line[:1].strip())]
    return [_NUMBERS.sub("", line) for line in said]


class Stage(Protocol):
    """Where a program is run."""

    def run(self, texts: Mapping[str, str], mode: str, kind: str = "cuda") -> Trial:
        """Run the program with other text in some files (``mode``: strict, heal, insist or plain)."""

    def locate(self, file: str) -> str | None:
        """The project's path of a file of the run; None for one that is none of its own."""
