"""Events: what a run of a program showed, gathered by place: mismatches, copies and synchronisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

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


#: What makes two mismatches one: kind, operation, place, and which operands are to blame.
_Key = tuple[str, str, Optional[Spot], tuple[str, ...]]


class Log:
    """Collects events; the same thing at the same place is counted, not repeated."""

    def __init__(self) -> None:
        self._mismatches: dict[_Key, dict[str, Any]] = {}
        self._transfers: dict[tuple[str, str, Optional[Spot]], list[int]] = {}

    def mismatch(self, refusal: Refusal, operation: str, operands: Sequence[Operand]) -> None:
        """Write down that an operation was refused; called from where the user's frames can be seen."""
        spot = user_spot(2)
        blamed = tuple(operand.role for operand in operands if _is_blamed(refusal, operand))
        key = (refusal.kind, operation, spot, blamed)
        known = self._mismatches.get(key)
        if known is not None:
            known["count"] += 1
            return
        stack = user_stack(2)
        owners = Owners(stack)
        self._mismatches[key] = {
            "kind": refusal.kind,
            "operation": operation,
            "error": refusal.error.__name__,
            "message": refusal.message,
            "count": 1,
            "sink": place(spot),
            "stack": [place(spot_of(frame)) for frame in stack],
            "names": [surroundings(frame) for frame in stack],
            "operands": [
                {
                    **_described(operand, refusal, stack[-1] if stack else None),
                    "held": owners.expressions(operand.tensor),
                    "owners": owners.of(operand.tensor),
                }
                for operand in operands
            ],
        }

    def transfer(self, what: str, size: int, by: str) -> None:
        """Count a copy of ``size`` bytes between host and device, or a synchronisation (of 0 bytes)."""
        counted = self._transfers.setdefault((what, by, user_spot(2)), [0, 0])
        counted[0] += 1
        counted[1] += size

    def clear(self) -> None:
        """Forget everything."""
        self._mismatches.clear()
        self._transfers.clear()

    @property
    def mismatches(self) -> list[dict[str, Any]]:
        """The mismatches as plain data, in the order they were first seen."""
        return list(self._mismatches.values())

    @property
    def transfers(self) -> list[dict[str, Any]]:
        """The copies and synchronisations as plain data, in the order they were first seen."""
        return [
            {"what": what, "by": by, "place": place(spot), "count": count, "bytes": size}
            for (what, by, spot), (count, size) in self._transfers.items()
        ]


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
