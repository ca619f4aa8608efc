"""Comparison: whether two runs came to the same result, and by what that was judged."""

from __future__ import annotations

from dataclasses import dataclass

from devfix.proof.printed import Difference, Tolerance, compared, declared, numbers_in
from devfix.proof.run import Run

EXACT = Tolerance()
#: Another machine, or another width, rounds differently, and training makes the difference grow.
LOOSE = Tolerance(relative=2e-2, absolute=1e-3)
#: How many differences are told.
_TOLD = 3


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs were compared by ("declared results", "printed numbers", "parameters"), and what differs.

    Without ``by`` there was nothing to compare.
    """

    what: str
    by: str | None = None
    differences: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def compare(what: str, first: Run, second: Run, tolerance: Tolerance) -> Comparison:
    """Compare two runs that finished, by the best that both of them offer.

    Where numbers have to be the same, so have the trained parameters, whatever is printed.
    """
    comparison = _by_declared(what, first, second, tolerance) or _by_printed(what, first, second, tolerance)
    trained = _by_parameters(what, first, second, tolerance)
    if comparison is None or (
        comparison.same and tolerance.exact and trained is not None and not trained.same
    ):
        comparison = trained
    return comparison or Comparison(what)


def _by_declared(what: str, first: Run, second: Run, tolerance: Tolerance) -> Comparison | None:
    ours, theirs = declared(first.output), declared(second.output)
    if not ours and not theirs:
        return None
    by = "declared results"
    if len(ours) != len(theirs):
        return Comparison(what, by, (f"{len(ours)} RESULT lines against {len(theirs)}",))
    differing = [
        str(Difference("RESULT", one, other))
        for one, other in zip(ours, theirs, strict=True)
        if not _same_result(one, other, tolerance)
    ]
    return Comparison(what, by, tuple(differing[:_TOLD]))


def _same_result(first: str, second: str, tolerance: Tolerance) -> bool:
    ours, theirs = numbers_in(first), numbers_in(second)
    if not ours or not theirs:
        return first == second
    return len(ours) == len(theirs) and all(
        tolerance.accepts(one, other) for one, other in zip(ours, theirs, strict=True)
    )


def _by_printed(what: str, first: Run, second: Run, tolerance: Tolerance) -> Comparison | None:
    if first.ending.dropped or second.ending.dropped:
        return None
    count, differences = compared(first.output, second.output, tolerance)
    if not count and not differences:
        return None
    told = [str(each) for each in differences[:_TOLD]]
    if len(differences) > _TOLD:
        told.append(f"and {len(differences) - _TOLD} more")
    return Comparison(what, "printed numbers", tuple(told))


def _by_parameters(what: str, first: Run, second: Run, tolerance: Tolerance) -> Comparison | None:
    ours = first.record.parameters if first.record is not None else None
    theirs = second.record.parameters if second.record is not None else None
    if ours is None or theirs is None:
        return None
    by = "parameters"
    if ours.sha256 == theirs.sha256:
        return Comparison(what, by)
    if ours.count != theirs.count:
        return Comparison(what, by, (f"{ours.count} trained parameters against {theirs.count}",))
    pairs = [
        (one, other)
        for row, counterpart in zip(ours.values, theirs.values, strict=False)
        for one, other in zip(row, counterpart, strict=False)
    ]
    if not tolerance.exact and all(tolerance.accepts(one, other) for one, other in pairs):
        return Comparison(what, by)
    apart = max((abs(one - other) for one, other in pairs), default=0.0)
    return Comparison(what, by, (f"the trained parameters differ, by up to {apart:.3g}",))
