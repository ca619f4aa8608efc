"""Refusal: what the accelerator says instead of carrying out an operation."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import torch


class Refusal(NamedTuple):
    """An operation that the accelerator refuses, in its own words.

    ``kind`` is one of the kinds of mismatch that devfix knows ("device", "dtype", "host-only", ...);
    ``blamed`` are the operands that are not where they should be, ``wanted`` the dtype they should have had
    where that is the matter, or the end of their dtype's range ("min", "max") that a number is beyond.
    """

    message: str
    kind: str = "device"
    error: type[Exception] = RuntimeError
    blamed: tuple[torch.Tensor, ...] = ()
    wanted: Optional[str] = None

    def exception(self) -> Exception:
        """The exception to raise."""
        found: Any = self.error(self.message)
        found.refusal = self
        return found  # type: ignore[no-any-return]


def refusal_of(error: Exception) -> Optional[Refusal]:
    """The refusal that an exception was raised for, if it was raised for one."""
    return getattr(error, "refusal", None)


class NotSimulatedError(NotImplementedError):
    """The program asks for something that only a real accelerator can do."""


def not_simulated(what: str) -> NotSimulatedError:
    """The error for a part of torch that the simulated accelerator does not have."""
    return NotSimulatedError(f"devfix: the simulated accelerator has no {what}; run this on a real one")
