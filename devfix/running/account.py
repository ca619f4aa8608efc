"""Account: what a run is reported as: its mismatches in words, where they go back to, and the exit code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from devfix.discovery import short_path
from devfix.observation.record import (
    Made,
    ObservedMismatch,
    ObservedOperand,
    Outcome,
    Place,
    RunRecord,
    Transfer,
)
from devfix.report.cells import cell_label
from devfix.report.summary import count_of
from devfix.running.request import Request
from devfix.tracebacks.readings import recognise
from devfix.tracebacks.texts import FAMILIES

#: What each kind of mismatch is called; ``{}`` is the operation.
_TITLES = {
    "device": "tensors on two devices meet in {}",
    "dtype": "two dtypes meet in {}",
    "index-dtype": "an index that is not an integer, in {}",
    "target-dtype": "a target of a dtype that {} refuses",
    "in-place-dtype": "a result that does not fit the tensor it is written to, in {}",
    "mask-dtype": "a mask that is not a bool tensor, in {}",
    "float-dtype": "integers where {} takes only floats",
    "narrow-float": "floats of 16 bits, or autocast, where {} takes neither",
    "value-range": "a number that does not fit the tensor it is written into, in {}",
    "float64-on-mps": "a float64 tensor goes to MPS, which has none, in {}",
    "numpy": "NumPy is handed a tensor of the accelerator, in {}",
    "array-dtype": "NumPy is handed a tensor of a dtype that it does not have, in {}",
    "host-only": "an argument on the accelerator that has to be on the CPU, in {}",
    "generator": "a random generator of another device, in {}",
    "worker": "a loader's worker uses the accelerator, in {}",
    "pin": "a tensor of the accelerator is to be pinned, in {}",
    "optimizer-state": "an optimizer's state is not where its parameters are, in {}",
    "legacy-constructor": "a legacy constructor is given a device, in {}",
    "no-leaf": "an optimizer is given a tensor that is not a leaf, in {}",
    "map-location": "a checkpoint asks for a device that is not there, in {}",
}
_STOPS = {
    "max-seconds": "its time was up (--timeout)",
    "max-steps": "its steps were made (--max-steps)",
    "max-mismatches": "this is the first mismatch (--strict)",
}
#: What a tensor was made by, in words that go before the maker.
_MADE = {
    "move": "moved by",
    "cast": "cast by",
    "checkpoint": "loaded by",
    "loader": "taken from",
    "result": "result of",
}
_MOST_ORIGINS = 10
#: What operators are called in programs.
_WORDS = {
    "_local_scalar_dense": "item, float, bool, if",
    "index": "index by a mask",
    "index_put_": "assignment by a mask",
    "_unique2": "unique",
}
#: The kind of messages that say that there is no such device, rather than that two do not fit.
_ABSENT = "absent-device"


@dataclass(frozen=True, slots=True)
class Source:
    """Something that operands go back to, in words, and its line."""

    text: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Account:
    """One run and what was asked for."""

    request: Request
    record: RunRecord

    @property
    def exit_code(self) -> int:
        """0 when all is well, 1 when there are mismatches, 2 when the program failed for another reason."""
        if ended_well(self.record.outcome):
            return int(bool(self.record.mismatches))
        return 1 if ended_by_mismatch(self.record.outcome) else 2

    @property
    def origins(self) -> list[tuple[Source, int]]:
        """Where the operands to blame go back to, and in how many mismatches; the most frequent first."""
        found: Counter[Source] = Counter()
        for mismatch in self.record.mismatches:
            blamed = [operand for operand in mismatch.operands if operand.blamed]
            found.update({source for operand in blamed for source in _origins_of(operand)})
        return found.most_common(_MOST_ORIGINS)


def ended_well(outcome: Outcome) -> bool:
    """Whether a program came to its end, or to that of its limits."""
    if outcome.how == "stopped":
        return outcome.reason in _STOPS
    return outcome.how in ("finished", "exited") and not outcome.status


def ended_by_mismatch(outcome: Outcome) -> bool:
    """Whether what a program failed with is a mismatch that nothing could be made of to go on."""
    reading = recognise(outcome.error.message, FAMILIES) if outcome.error is not None else None
    return reading is not None and reading.kind not in ("", _ABSENT)


def sources(operand: ObservedOperand) -> tuple[Made, ...]:
    """What an operand goes back to."""
    found = operand.roots or ((operand.made,) if operand.made is not None else ())
    return tuple(made for made in found if made.place is not None)


def _origins_of(operand: ObservedOperand) -> list[Source]:
    """What an operand goes back to; for a parameter that is the largest module that is where it is."""
    owner = next((owner for owner in operand.owners if owner.whole), None)
    if operand.module is not None and owner is not None:
        return [Source(f"module `{owner.path}` ({owner.class_name})", owner.made)]
    return [Source(made_by(made, operand), made.place) for made in sources(operand)]


def together(found: list[ObservedOperand]) -> list[tuple[ObservedOperand, int]]:
    """Operands, and how many more there are of the same module, made at the same line."""
    counted: list[tuple[ObservedOperand, int]] = []
    for operand in found:
        last = counted[-1][0] if counted else None
        if last is not None and _are_siblings(operand, last):
            counted[-1] = (last, counted[-1][1] + 1)
        else:
            counted.append((operand, 0))
    return counted


def _are_siblings(one: ObservedOperand, other: ObservedOperand) -> bool:
    if one.module is None or other.module is None or one.module.path != other.module.path:
        return False
    return (one.role, one.blamed, one.device, one.made) == (
        other.role,
        other.blamed,
        other.device,
        other.made,
    )


def title(mismatch: ObservedMismatch) -> str:
    """What is wrong, in a sentence."""
    operation = mismatch.operation.removeprefix("aten::")
    text = _TITLES.get(mismatch.kind, f"{mismatch.kind} in {{}}").format(operation)
    return f"{text}, {count_of(mismatch.count, 'time')}"


def error(mismatch: ObservedMismatch) -> str:
    """What the accelerator says: the first line of its message."""
    first = next(iter(mismatch.message.strip().splitlines()), "")
    return f"{mismatch.error}: {first}"


def operands(mismatch: ObservedMismatch) -> list[ObservedOperand]:
    """The operands, those to blame first."""
    return sorted(mismatch.operands, key=lambda operand: not operand.blamed)


def describe(operand: ObservedOperand) -> str:
    """An operand in words: its role, its name at the sink, what it is and where."""
    name = f" `{operand.paths[0]}`" if operand.paths else _owned(operand)
    shape = f"[{', '.join(map(str, operand.shape))}]"
    return f"{operand.role}{name}: {operand.dtype} {shape} on {operand.device}"


def _owned(operand: ObservedOperand) -> str:
    if operand.module is not None:
        return f" `{operand.module.path}.{operand.module.name}`"
    return f" (computed from `{'`, `'.join(operand.computed_from)}`)" if operand.computed_from else ""


def made_by(made: Made, operand: ObservedOperand | None = None) -> str:
    """How a tensor came to be, in words."""
    if operand is not None and operand.module is not None and made.kind in ("factory", "random-factory"):
        return "made with its module"
    return f"{_MADE.get(made.kind, 'made by')} {made.by}"


def caused_by(transfer: Transfer) -> str:
    """What made a copy or a wait, in words that stand in programs."""
    name = transfer.by.removeprefix("aten::")
    return _WORDS.get(name, name)


def where(place: Place) -> str:
    """A place as ``file:line:column``, the column counted from 1; in notebooks with the cell."""
    column = f":{place.column + 1}" if place.column is not None else ""
    return f"{cell_label(short_path(place.file), place.cell)}:{place.line}{column}"


def ending(outcome: Outcome) -> str:
    """How the program ended, in a sentence without a full stop."""
    if outcome.how == "finished":
        return "The program ran to its end"
    if outcome.how == "stopped":
        return f"The program was stopped: {_STOPS.get(outcome.reason or '', f'it was ended by {outcome.reason}')}"
    if outcome.how == "exited":
        return f"The program exited with status {outcome.status}"
    if outcome.error is not None and outcome.error.type == "KeyboardInterrupt":
        return "The program was interrupted"
    if outcome.error is not None:
        first = next(iter(outcome.error.message.strip().splitlines()), "")
        text = f"{outcome.error.type}: {first}" if first else outcome.error.type
        place = f" ({where(outcome.error.frames[-1])})" if outcome.error.frames else ""
        return f"The program failed with {text}{place}"
    return "The program was gone before it could say how it ended"


def summary(account: Account) -> list[str]:
    """The run in a few lines."""
    record, died = account.record, ended_by_mismatch(account.record.outcome)
    number = len(record.mismatches)
    left_out = (
        f" and {record.mismatches_left_out} more that are not shown" if record.mismatches_left_out else ""
    )
    found = (
        f"{count_of(number, 'mismatch', 'mismatches')}{left_out}. "
        if number
        else ""
        if died
        else "No mismatch. "
    )
    made = f"{count_of(record.steps, 'optimizer step')}, {record.seconds:.1f} s"
    told = [f"{found}{ending(record.outcome)} ({made}, simulated {record.kind}, torch {record.torch})."]
    if number:
        told.append("`devfix run --fix` repairs what it can of this; with `--diff` it only shows how.")
    if died:
        also = ", too" if number else ""
        told.append(f"That is a mismatch{also}; `devfix explain --error` says more of its traceback.")
    return told
