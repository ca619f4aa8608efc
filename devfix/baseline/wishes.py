"""Wishes: what the options say of known findings."""

from __future__ import annotations

from dataclasses import dataclass

from devfix.usage import UsageError


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked for: ``commit`` is a revision, ``off`` means that none is known.

    ``add_ignore`` is the reason for comments, which may be empty.
    """

    write: bool = False
    update: bool = False
    prune: bool = False
    commit: str | None = None
    off: bool = False
    add_ignore: str | None = None

    def check(self) -> None:
        """Raise UsageError where the wishes do not go together."""
        writing = [self.write, self.update, self.prune, self.add_ignore is not None]
        if sum(writing) > 1:
            raise UsageError(
                "--write-baseline, --update-baseline, --prune-baseline and --add-ignore go one at a time"
            )
        if self.off and (self.write or self.update or self.prune):
            raise UsageError("--no-baseline and what writes one exclude each other")
        if any(sign in (self.add_ignore or "") for sign in "#\r\n"):
            raise UsageError("--add-ignore: a reason is one line without `#`")
