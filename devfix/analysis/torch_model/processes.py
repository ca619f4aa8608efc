"""Processes that a script starts beside itself: one that is forked cannot use the accelerator of the one that started it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from devfix.analysis import modules
from devfix.analysis.frames import CallSite
from devfix.analysis.values import UNKNOWN, Obj, Partial, Ref, Sequence, TupleValue, Union, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

PROCESSES = ("multiprocessing.Process", "torch.multiprocessing.Process")


def process(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Process(target=train, args=(model,))``."""
    _note(interp, (arg.value for arg in site.all_args()))
    return UNKNOWN


def is_process(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is of a class of the project that is run as a process."""
    return any(base in PROCESSES for base in modules.external_bases(interp, obj.cls))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``worker.start()``: the process has what the object has."""
    if name == "start":
        _note(interp, obj.attrs.values())
    return UNKNOWN


def _note(interp: Interpreter, values: Iterable[Value | None]) -> None:
    """Write down that a process is given a module."""
    if interp.is_script:
        interp.recorder.forked |= any(_holds_module(interp, value, set()) for value in values)


def _holds_module(interp: Interpreter, value: Value | None, seen: set[int]) -> bool:
    if isinstance(value, Ref):
        if value.address in seen:
            return False
        seen.add(value.address)
        obj = interp.obj(value)
        inner: tuple[Value | None, ...] = (*obj.attrs.values(), *(obj.items or ()), obj.element)
        return modules.is_module(interp, value) or any(_holds_module(interp, part, seen) for part in inner)
    if isinstance(value, TupleValue):
        return any(_holds_module(interp, part, seen) for part in value.items)
    if isinstance(value, Union):
        return any(_holds_module(interp, part, seen) for part in value.members)
    if isinstance(value, Sequence):
        return _holds_module(interp, value.element, seen)
    return isinstance(value, Partial) and any(_holds_module(interp, part, seen) for part in value.args)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(PROCESSES, process)
