"""Events: what a run of a program showed, gathered by place: mismatches, copies and synchronisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional

import torch

from .claims import Claim, Made
from .expressions import holders, paths_to
from .owners import Owners
from .places import Spot, place, spot_of, user_spot, user_stack
from .refusals import Refusal
from .surroundings import surroundings


class Operand(NamedTuple):
    """One tensor of a refused operation: its name in the schema, and what is known of it."""

    role: str
    tensor: torch.Tensor
    claim: Optional[Claim]
    device: torch.device


#: Where something happened, to count it by: a code object (by identity) and the instruction in it.
_Here = tuple[int, int]
#: What a computed tensor goes back to, or what else makes two operands the same mistake.
_Origins = frozenset[Any]


class _Event:
    """One mistake at one place; ``first`` is the call it was seen in first, whose repetitions are counted."""

    __slots__ = ("data", "first", "origins")

    def __init__(self, data: dict[str, Any], first: tuple[Any, ...], origins: _Origins) -> None:
        self.data = data
        self.first = first
        self.origins = origins


class Log:
    """Collects events; the same thing at the same place is counted, not repeated.

    One line may refuse the same operand several times, since a layer or an optimizer makes several calls with
    it: that is one mistake. ``on_first`` is called when a new one was written down, and ``others`` tells what
    other processes of the program have seen.
    """

    def __init__(self) -> None:
        self._mismatches: dict[tuple[str, Optional[_Here]], list[_Event]] = {}
        self._transfers: dict[tuple[str, str, Optional[_Here]], list[Any]] = {}
        self.on_first: Callable[[], None] = _nothing
        self.others: Callable[[], Sequence[Mapping[str, Any]]] = list

    def __bool__(self) -> bool:
        """Whether anything was seen by this process."""
        return bool(self._mismatches or self._transfers)

    def mismatch(self, refusal: Refusal, operation: str, operands: Sequence[Operand]) -> None:
        """Write down that an operation was refused; called from where the user's frames can be seen."""
        blamed = [operand for operand in operands if _is_blamed(refusal, operand)]
        kind = _kind(refusal, blamed)
        spot = user_spot(2)
        origins = _origins(operation, blamed)
        first = (operation, *(operand.role for operand in blamed))
        events = self._mismatches.setdefault((kind, _here(spot)), [])
        for event in events:
            if origins <= event.origins:
                event.data["count"] += first == event.first
                return
        stack = user_stack(2)
        data = _data(refusal, operation, operands, stack)
        events.append(_Event({**data, "kind": kind, "sink": place(spot)}, first, origins))
        self.on_first()

    def transfer(self, what: str, size: int, by: str) -> None:
        """Count a copy of ``size`` bytes between host and device, or a synchronisation (of 0 bytes)."""
        spot = user_spot(2)
        counted = self._transfers.setdefault((what, by, _here(spot)), [0, 0, spot])
        counted[0] += 1
        counted[1] += size

    def clear(self) -> None:
        """Forget everything."""
        self._mismatches.clear()
        self._transfers.clear()

    @property
    def mismatches(self) -> list[dict[str, Any]]:
        """The mismatches as plain data, in the order they were first seen; those of other processes come last."""
        found: dict[Any, dict[str, Any]] = {}
        for data in [*self._own_mismatches(), *self._of_others("mismatches")]:
            roles = tuple(operand["role"] for operand in data["operands"] if operand["blamed"])
            where = _hashable(data["sink"]), _hashable(data["stack"][-1:])
            key = (data["kind"], data["operation"], where, roles, len(found) if data["sink"] is None else 0)
            known = found.setdefault(key, {**data, "count": 0})
            known["count"] += data["count"]
        return list(found.values())

    def _own_mismatches(self) -> Iterator[dict[str, Any]]:
        yield from sorted(
            (event.data for events in self._mismatches.values() for event in events),
            key=lambda data: int(data["number"]),
        )

    def _of_others(self, what: str) -> Iterator[dict[str, Any]]:
        for report in self.others():
            yield from report[what]

    @property
    def transfers(self) -> list[dict[str, Any]]:
        """The copies and synchronisations as plain data, in the order they were first seen."""
        own = [
            {"what": what, "by": by, "place": place(spot), "count": count, "bytes": size}
            for (what, by, _), (count, size, spot) in self._transfers.items()
        ]
        found: dict[Any, dict[str, Any]] = {}
        for data in [*own, *self._of_others("transfers")]:
            key = (data["what"], data["by"], _hashable(data["place"]))
            known = found.setdefault(key, {**data, "count": 0, "bytes": 0})
            known["count"] += data["count"]
            known["bytes"] += data["bytes"]
        return list(found.values())


def _is_blamed(refusal: Refusal, operand: Operand) -> bool:
    return any(operand.tensor is tensor for tensor in refusal.blamed)


def _described(operand: Operand, refusal: Refusal, frame: Any) -> dict[str, Any]:
    tensor, claim = operand.tensor, operand.claim
    return {
        "role": operand.role,
        "device": str(operand.device),
        "dtype": str(tensor.dtype).replace("torch.", ""),
        "shape": list(tensor.shape),
        "blamed": _is_blamed(refusal, operand),
        "paths": paths_to(tensor, frame),
        "module": holders(tensor, frame),
        "made": _made(claim.made if claim is not None else None),
        "roots": [_made(root) for root in (claim.roots if claim is not None else ())],
    }


def _made(made: Optional[Made]) -> Optional[dict[str, Any]]:
    return None if made is None else {"kind": made.kind, "by": made.by, "place": place(made.spot)}
