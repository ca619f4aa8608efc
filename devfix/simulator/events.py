"""Events: what a run of a program showed, gathered by place: mismatches, copies and synchronisations."""

from __future__ import annotations

import linecache
import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Any, Callable, NamedTuple, Optional

import torch

from .callers import is_module_state, is_optimizer_state
from .claims import CPU, Claim, Made, replacement_of, types_of
from .expressions import holders, paths_to, sources_of
from .glimpses import Glimpses
from .histories import history
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


#: How many operands of a mismatch are described, of those to blame and of the others.
_MOST_OPERANDS = 12
#: Where something happened, to count it by: a code object (by identity) and the instruction in it.
_Here = tuple[int, int]
#: What a computed tensor goes back to, or what else makes two operands the same mistake.
_Origins = frozenset[Any]


class _Event:
    """One mistake at one place; ``first`` is the call it was seen in first, whose repetitions are counted."""

    __slots__ = ("data", "first", "origins", "parameters", "spot")

    def __init__(
        self, data: dict[str, Any], first: tuple[Any, ...], origins: _Origins, spot: Optional[Spot]
    ) -> None:
        self.data = data
        self.first = first
        self.origins = origins
        # Keeps the code alive that the event is found by.
        self.spot = spot
        self.parameters: list[weakref.ref[torch.Tensor]] = []

    def concerns(self, parameters: Sequence[torch.Tensor]) -> bool:
        """Whether these are the very parameters that the event was first seen with."""
        known = self.parameters
        return len(known) == len(parameters) > 0 and all(
            reference() is parameter for reference, parameter in zip(known, parameters)
        )


class Log:
    """Collects events; the same thing at the same place is counted, not repeated.

    One line may refuse the same operand several times, since a layer or an optimizer makes several calls with
    it: that is one mistake. ``on_first`` is called when a new one was written down, and ``others`` tells what
    other processes of the program have seen.
    """

    def __init__(self) -> None:
        self._mismatches: dict[tuple[str, Optional[_Here]], list[_Event]] = {}
        self._transfers: dict[tuple[str, str, Optional[_Here]], list[Any]] = {}
        #: A model that was not moved is met at every step: these are found again without asking for their owners.
        self._of_parameters: dict[tuple[Any, ...], _Event] = {}
        self.on_first: Callable[[], None] = _nothing
        self.others: Callable[[], list[dict[str, Any]]] = list
        self.glimpses = Glimpses()

    def __bool__(self) -> bool:
        """Whether anything was seen by this process."""
        return bool(self._mismatches or self._transfers)

    def mismatch(self, refusal: Refusal, operation: str, operands: Sequence[Operand]) -> None:
        """Write down that an operation was refused; called from where the user's frames can be seen."""
        blamed = [operand for operand in operands if _is_blamed(refusal, operand)]
        spot = user_spot(2)
        again = self._of_parameters.get((_here(spot), operation))
        if again is not None and again.concerns(_parameters(blamed)):
            again.data["count"] += 1
            return
        kind = _kind(refusal, blamed)
        origins = _origins(refusal, operation, blamed, spot)
        first = (operation, *(operand.role for operand in blamed))
        events = self._mismatches.setdefault((kind, _here(spot)), [])
        for event in events:
            if origins & event.origins or not origins:
                event.data["count"] += first == event.first
                return
        stack = user_stack(2)
        try:
            data = _data(refusal, operation, operands, stack)
        except Exception:  # noqa: BLE001 - objects of the program may be of any kind, and it has to go on
            data = _data(refusal, operation, (), ())
        data.update(kind=kind, sink=place(spot), origins=self._origins(refusal, blamed))
        if events and not events[0].origins:
            # That was a consequence of this, which the line came to first.
            events[0].data.update(data)
            events[0].first, events[0].origins = first, origins
        else:
            events.append(_Event(data, first, origins, spot))
            parameters = _parameters(blamed)
            if parameters and len(parameters) == len(blamed) and kind == refusal.kind:
                events[-1].parameters = [weakref.ref(parameter) for parameter in parameters]
                self._of_parameters[(_here(spot), operation)] = events[-1]
        self.on_first()

    def _origins(self, refusal: Refusal, blamed: Sequence[Operand]) -> list[dict[str, Any]]:
        """What the names stood for where the operands to blame were made."""
        made = [operand.claim.made for operand in blamed if operand.claim is not None]
        every = [*made, *(root for operand in blamed for root in _roots(refusal, operand))]
        spots = [each.spot for each in every if each is not None]
        found = {
            (id(spot.code), spot.instruction): self.glimpses.at(spot) for spot in spots if spot is not None
        }
        return [each for each in found.values() if each is not None]

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
        self._of_parameters.clear()

    @property
    def count(self) -> int:
        """How many mismatches this process has seen."""
        return sum(map(len, self._mismatches.values()))

    @property
    def mismatches(self) -> list[dict[str, Any]]:
        """The mismatches as plain data, in the order they were first seen."""
        own = [event.data for events in self._mismatches.values() for event in events]
        return _merged(own, [event for log in self.others() for event in log["mismatches"]])

    @property
    def transfers(self) -> list[dict[str, Any]]:
        """The copies and synchronisations as plain data, in the order they were first seen."""
        found: list[dict[str, Any]] = [
            {"what": what, "by": by, "place": place(spot), "count": count, "bytes": size}
            for (what, by, _), (count, size, spot) in self._transfers.items()
        ]
        return _merged(found, [event for log in self.others() for event in log["transfers"]])


def _merged(own: list[dict[str, Any]], others: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events of several logs, each once; counts and sizes add up."""
    if not others:
        return own
    found: dict[str, dict[str, Any]] = {}
    for event in (*own, *others):
        key = str([event.get(name) for name in ("kind", "operation", "what", "by", "sink", "place")])
        known = found.setdefault(key, {**event, **dict.fromkeys(event.keys() & {"count", "bytes"}, 0)})
        for name in known.keys() & {"count", "bytes"}:
            known[name] += event[name]
    return list(found.values())


def _nothing() -> None:
    """Do nothing."""


def _parameters(blamed: Sequence[Operand]) -> list[torch.Tensor]:
    """The parameters among the operands to blame, or those they are views of."""
    found = [operand.tensor if operand.tensor._base is None else operand.tensor._base for operand in blamed]
    return [tensor for tensor in found if isinstance(tensor, torch.nn.Parameter)]


def _here(spot: Optional[Spot]) -> Optional[_Here]:
    # Comparing code objects compares all they hold; the spot that is kept beside this keeps them alive.
    return None if spot is None else (id(spot.code), spot.instruction)


def _kind(refusal: Refusal, blamed: Sequence[Operand]) -> str:
    """What a mistake is called; two devices within an optimizer are a mistake of its own."""
    in_state = refusal.kind == "device" and any(is_optimizer_state(operand.tensor) for operand in blamed)
    return "optimizer-state" if in_state else refusal.kind


def _roots(refusal: Refusal, operand: Operand) -> tuple[Made, ...]:
    """What an operand goes back to, as far as its device or (where that is the matter) its dtype is concerned."""
    if refusal.kind.endswith("dtype"):
        return types_of(operand.tensor)
    claim = operand.claim
    if claim is None or claim.made is None:
        return ()
    return claim.roots or (claim.made,)


def _origins(refusal: Refusal, operation: str, blamed: Sequence[Operand], sink: Optional[Spot]) -> _Origins:
    """What tells one mistake at a line from another: what the operands to blame go back to.

    The parameters and buffers of modules that were not moved are one mistake, however many they are. What the
    line itself made on its way is the consequence of something else in it.
    """
    found: set[Any] = set()
    for operand in blamed:
        roots = _roots(refusal, operand)
        if is_module_state(operand.tensor):
            found.add("module")
        elif not roots:
            found.add((operation, operand.role))
        else:
            made = operand.claim.made if operand.claim is not None else None
            every = roots if made is None else (made, *roots)
            found.update((root.kind, root.by, _here(root.spot)) for root in every if root.spot != sink)
    return frozenset(found) if blamed else frozenset([operation])


def _data(
    refusal: Refusal, operation: str, operands: Sequence[Operand], stack: Sequence[FrameType]
) -> dict[str, Any]:
    owners = Owners(stack)
    innermost = stack[-1] if stack else None
    return {
        "kind": refusal.kind,
        "operation": operation,
        "error": refusal.error.__name__,
        "message": refusal.message,
        "wanted": refusal.wanted,
        "count": 1,
        "sink": None,
        "stack": [place(spot_of(frame)) for frame in stack],
        "names": [surroundings(frame) for frame in stack],
        "history": history() if refusal.kind == "device" else None,
        "operands": [
            {
                **_described(operand, refusal, innermost),
                "held": owners.expressions(operand.tensor),
                "owners": owners.of(operand.tensor),
            }
            for operand in _worth_telling(refusal, operands)
        ],
    }


def _worth_telling(refusal: Refusal, operands: Sequence[Operand]) -> list[Operand]:
    """All operands, or of the hundreds that an optimizer hands over at once the first few of each side."""
    left = {True: _MOST_OPERANDS, False: _MOST_OPERANDS}
    found = []
    for operand in operands:
        blamed = _is_blamed(refusal, operand)
        left[blamed] -= 1
        if left[blamed] >= 0:
            found.append(operand)
    return found


def _is_blamed(refusal: Refusal, operand: Operand) -> bool:
    return any(operand.tensor is tensor for tensor in refusal.blamed)


def _described(operand: Operand, refusal: Refusal, frame: Any) -> dict[str, Any]:
    tensor, claim = operand.tensor, operand.claim
    paths, module = paths_to(tensor, frame), holders(tensor, frame)
    made = claim.made if claim is not None else None
    return {
        "role": operand.role,
        "device": str(operand.device),
        "dtype": str(tensor.dtype).replace("torch.", ""),
        "shape": list(tensor.shape),
        "blamed": _is_blamed(refusal, operand),
        "paths": paths,
        "computed_from": [] if paths or frame is None else sources_of(tensor, frame, _text(spot_of(frame))),
        "module": module,
        "made": _made((replacement_of(tensor) if module and operand.device == CPU else None) or made),
        "roots": [_made(root) for root in _roots(refusal, operand) if claim is None or root != claim.made],
    }


def _text(spot: Spot) -> str:
    """The source of an expression, from its first line to its last."""
    found = place(spot) or {}
    lines = range(found["line"], found["end_line"] + 1)
    return "".join(linecache.getline(spot.code.co_filename, line) for line in lines)


def _made(made: Optional[Made]) -> Optional[dict[str, Any]]:
    return None if made is None else {"kind": made.kind, "by": made.by, "place": place(made.spot)}
