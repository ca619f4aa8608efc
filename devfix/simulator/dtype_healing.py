"""Healing of dtype mismatches: the call is made again with the odd operands cast.

PyTorch refuses the same dtypes on every device, so its own refusals are what is caught here. Whether a
failure is one of dtypes at all shows when the call succeeds with others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import torch

from . import number_range
from .callers import calls_come_from, is_module_state
from .claims import Claim, claim_of, device_of, lay, storage_of
from .events import Operand
from .machine import Machine
from .odd_dtypes import Guess, RefusedCall, guesses
from .refusals import Refusal
from .slots import Slot, slots_of, slots_of_operator, with_tensors, written_slot

#: What torch raises for a dtype; a TypeError where the bindings look at it, an AssertionError in Python.
ERRORS = (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError, AssertionError)
#: How many wrong things about one call are put right one after the other.
_MOST_FAULTS = 3
#: Words of messages that are about dtypes.
_OF_DTYPE = re.compile(
    r"dtype|scalar type|not implemented for|desired output type|tensors used as indices|floating"
)
_true: Any = torch._C.TensorBase


def heal(
    machine: Machine, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], error: Exception, said: str
) -> Optional[tuple[Any]]:
    """The result (in a tuple) of an operator that raised ``error`` for its dtypes, which is written down.

    None where something else is wrong. ``said`` is what the CPU said of it.
    """
    fitting = number_range.limited(args, kwargs, said)
    if fitting is not None:
        _refuse_number(machine, func, args, kwargs, Refusal(str(error), "value-range", wanted=fitting.end))
        return (func(*fitting.args, **fitting.kwargs),)
    attempt = Attempt(func, func._schema.name, slots_of_operator(func, args, kwargs), args, kwargs)
    attempt.written = written_slot(func, attempt.slots)
    return _put_right(machine, attempt, error, said)


def _refuse_number(
    machine: Machine, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], refusal: Refusal
) -> None:
    slots = slots_of_operator(func, args, kwargs)
    operands = [
        Operand(slot.role, slot.tensor, claim_of(slot.tensor), device_of(slot.tensor)) for slot in slots
    ]
    blamed = tuple(slot.tensor for slot in slots[:1])
    machine.refuse(refusal._replace(blamed=blamed), func._schema.name, operands)


def _put_right(machine: Machine, attempt: Attempt, error: Exception, said: str) -> Optional[tuple[Any]]:
    healed = None if machine.expects(type(error)) else _healed(attempt, said, _MOST_FAULTS)
    if healed is None:
        return None
    write_down(machine, attempt, error, healed.guesses)
    return (healed.result,) if healed.error is None else None


def refused(
    machine: Machine, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], refusal: Refusal
) -> None:
    """Write down what the accelerator alone refuses; the CPU carries it out as it is.

    An error that the program waits for is raised instead.
    """
    if machine.expects(refusal.error):
        raise refusal.exception()
    slots = slots_of_operator(func, args, kwargs)
    attempt = Attempt(func, func._schema.name, slots, args, kwargs)
    attempt.written = written_slot(func, slots)
    seen = RefusedCall(attempt.name, slots, attempt.written, refusal.message, is_module_state)
    guess = next(guesses(seen), None)
    blamed = tuple(s for s in slots if any(s.tensor is tensor for tensor in refusal.blamed))
    if guess is not None:
        kind = guess.kind if refusal.kind == "dtype" else refusal.kind
        guess = guess._replace(kind=kind, slots=blamed or guess.slots)
    write_down(machine, attempt, refusal.exception(), [guess] if guess is not None else [])


def call_checked(
    machine: Machine, function: Callable[..., Any], name: str, names: Sequence[str], args: Any, kwargs: Any
) -> Any:
    """The same for a Python function that looks at dtypes before it calls an operator."""
    try:
        return function(*args, **kwargs)
    except ERRORS as error:
        attempt = Attempt(function, name, slots_of(names, args, kwargs), args, kwargs)
        moved = _moved_for_autocast(machine, attempt, error)
        if moved is not None:
            return moved.run()
        attempt.context = _dtype_of_module(args)
        healed = _put_right(machine, attempt, error, str(error))
        if healed is None:
            raise
        return healed[0]


def _moved_for_autocast(machine: Machine, attempt: Attempt, error: Exception) -> Optional[Attempt]:
    """The call with what is on the host beside the rest, which alone was cast; None where that is not what is wrong.

    A function that compares dtypes says so of them, but what has to change is the device.
    """
    floats = [slot for slot in attempt.slots if slot.tensor.dim() and slot.tensor.is_floating_point()]
    left = [slot for slot in floats if device_of(slot.tensor).type == "cpu"]
    there = [device_of(slot.tensor) for slot in floats if device_of(slot.tensor).type == machine.kind]
    casts = machine.kind in ("cuda", "xpu") and torch.is_autocast_enabled(machine.kind)
    if not left or not there or not casts:
        return None
    blamed = tuple(slot.tensor for slot in left)
    machine.refuse(Refusal(str(error), error=type(error), blamed=blamed), attempt.name, _operands(attempt))
    return attempt.with_tensors({slot.path: _claimed(slot.tensor, there[0]) for slot in left})


def _claimed(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A copy of a tensor as if it were somewhere else."""
    claim = claim_of(tensor)
    return lay(tensor.clone(), Claim(device, *((claim.made, claim.roots) if claim is not None else ())))


def _operands(attempt: Attempt) -> list[Operand]:
    return [
        Operand(slot.role, slot.tensor, claim_of(slot.tensor), device_of(slot.tensor))
        for slot in attempt.slots
    ]


def _dtype_of_module(args: Sequence[Any]) -> Optional[torch.dtype]:
    """The dtype of the parameters of the module that a method is called on."""
    module = args[0] if args and isinstance(args[0], torch.nn.Module) else None
    parameters = vars(module).get("_parameters", {}).values() if module is not None else ()
    return next((p.dtype for p in parameters if p is not None and p.is_floating_point()), None)


class Attempt:
    """A call that may be made with other operands."""

    def __init__(
        self, function: Any, name: str, slots: list[Slot], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        self.function = function
        self.name = name
        self.slots = slots
        self.args = args
        self.kwargs = kwargs
        self.written: Optional[Slot] = None
        self.context: Optional[torch.dtype] = None

    def cast(self, guess: Guess) -> Attempt:
        """The call with the operands of a guess cast."""
        return self.with_tensors({slot.path: _true.to(slot.tensor, guess.wanted) for slot in guess.slots})

    def with_tensors(self, tensors: Mapping[Any, torch.Tensor]) -> Attempt:
        """The call with other tensors at some places."""
        args, kwargs = with_tensors(self.args, self.kwargs, tensors)
        slots = [Slot(s.role, tensors.get(s.path, s.tensor), s.path) for s in self.slots]
        found = Attempt(self.function, self.name, slots, args, kwargs)
        found.written, found.context = self.written, self.context
        return found

    def run(self) -> Any:
        """Make the call."""
        return self.function(*self.args, **self.kwargs)


class _Healed:
    """What became of a refused call: its result and what was wrong; ``error`` is what is wrong besides."""

    def __init__(self, result: Any, found: list[Guess], error: Optional[BaseException] = None) -> None:
        self.result = result
        self.guesses = found
        self.error = error


def _healed(attempt: Attempt, said: str, most: int) -> Optional[_Healed]:
    """The call with the first casts that make it work; None when none do."""
    refused = RefusedCall(
        attempt.name, attempt.slots, attempt.written, said, is_module_state, attempt.context
    )
    helped = []
    every = list(guesses(refused))
    for guess in every:
        changed = attempt.cast(guess)
        try:
            result = changed.run()
        except ERRORS as failure:
            if str(failure) != said:
                helped.append((guess, changed, failure))
        else:
            return _Healed(_written_back(attempt, guess, changed, result), [guess])
    for guess, changed, another in helped if most > 1 else ():
        further = _healed(changed, str(another), most - 1)
        if further is not None and further.error is None:
            written = _written_back(attempt, guess, changed, further.result)
            return _Healed(written, [guess, *further.guesses])
    together = _healed_together(attempt, every)
    if together is not None:
        return together
    if helped and _OF_DTYPE.search(said):
        # The dtype was wrong, and something else is, too.
        return _Healed(None, [helped[0][0]], helped[0][2])
    return None


def _healed_together(attempt: Attempt, every: Sequence[Guess]) -> Optional[_Healed]:
    """The call with several guesses at once, as for a derivative, whose operands take after one another."""
    changed, found = attempt, list[Guess]()
    for guess in every:
        taken = {slot.path for each in found for slot in each.slots}
        if guess.in_place or any(slot.path in taken for slot in guess.slots):
            continue
        changed = changed.cast(guess)
        found.append(guess)
        if len(found) > 1:
            try:
                return _Healed(changed.run(), found[:1])
            except ERRORS:
                continue
    return None


def _written_back(attempt: Attempt, guess: Guess, changed: Attempt, result: Any) -> Any:
    """What the call gives back; a result that was written to a cast operand goes to the operand itself."""
    if attempt.written is None or not any(slot.path == attempt.written.path for slot in guess.slots):
        return result
    copy = next(slot.tensor for slot in changed.slots if slot.path == attempt.written.path)
    _true.copy_(attempt.written.tensor, copy)
    return attempt.written.tensor if result is copy else result


def write_down(machine: Machine, attempt: Attempt, error: BaseException, found: Sequence[Guess]) -> None:
    """Write a refusal for dtypes down, unless it only follows from one that was."""
    odd = {id(slot.tensor): slot for guess in found for slot in guess.slots}.values()
    follows = torch._C._current_graph_task_id() != -1 and any(_was_healed(slot.tensor) for slot in odd)
    if follows or _is_left_out_of_autocast(attempt):
        return
    operands = _operands(attempt)
    originals = {slot.path: slot.tensor for slot in attempt.slots}
    for guess in found:
        blamed = tuple(originals[slot.path] for slot in guess.slots)
        wanted = str(guess.wanted).replace("torch.", "")
        refusal = Refusal(str(error), guess.kind, type(error), blamed, wanted)  # type: ignore[arg-type]
        machine.log.mismatch(refusal, attempt.name, operands)
    for slot in odd:
        _remember(slot.tensor)


def _is_left_out_of_autocast(attempt: Attempt) -> bool:
    """Whether operands differ in precision only since some are on the host, where this autocast casts nothing."""
    if not calls_come_from(f"{__package__}.patches.autocast"):
        return False
    tensors = [slot.tensor for slot in attempt.slots]
    kinds = {device_of(tensor).type for tensor in tensors if tensor.dim()}
    return len(kinds) > 1 and not any(tensor.dtype == torch.float64 for tensor in tensors)


def _remember(tensor: torch.Tensor) -> None:
    """The derivative of a healed call will meet the same tensor, in the same dtype as before."""
    storage: Any = storage_of(tensor)
    if storage is not None:
        storage._healed = True


def _was_healed(tensor: torch.Tensor) -> bool:
    return getattr(storage_of(tensor), "_healed", False)
