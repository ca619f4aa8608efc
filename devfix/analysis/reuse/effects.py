"""Effects: what is known before a call, to tell afterwards what it asked for and what it did."""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain.values import Value
from devfix.analysis.interpreter import Interpreter
from devfix.analysis.reuse.traces import Trace
from devfix.analysis.reuse.watched import ask_again, asked_before

if TYPE_CHECKING:
    from devfix.analysis.reuse.tracing import Tracer


def next_number(interp: Interpreter) -> int:
    """The number that the next frame or object gets."""
    number = next(interp.library.ids)
    interp.library.ids = count(number)
    return number


class Effects:
    """What a call does, found out when it is over."""

    def __init__(self, interp: Interpreter, tracer: Tracer) -> None:
        self._tracer = tracer
        self._before = (interp.steps, interp.calls, interp.unbound)
        self._outer, interp.oldest = interp.oldest, math.inf
        self._lengths = (
            len(interp.parameter_lists),
            len(interp.library.classes),
            dict.__len__(interp.described),
        )
        self._entries = len(tracer.entries)
        self._grave = _grave(interp)
        watch = tracer.watch
        self._outer_asked = (watch.keys, watch.everything)
        watch.keys, watch.everything = {}, False
        self._asked: tuple[dict[Any, Any], bool] = ({}, True)

    def leave(self) -> None:
        """The call is over: what is asked from here on is asked by the one around it."""
        watch = self._tracer.watch
        self._asked = (watch.keys, watch.everything)
        watch.keys, watch.everything = self._outer_asked

    def _write_asked(self, trace: Trace) -> None:
        keys, everything = self._asked
        watch = self._tracer.watch
        if everything:
            watch.everything = True
            return
        assert trace.entry is not None, "it has begun"
        trace.asked = asked_before(trace.entry, keys, trace.begin)
        ask_again(watch, trace.asked)

    def write(self, interp: Interpreter, trace: Trace, result: Value) -> None:
        """Complete the trace of the call that is over."""
        trace.exit, trace.end, trace.result = interp.state.fork(), next_number(interp), result
        steps, calls, unbound = self._before
        trace.steps, trace.inner = interp.steps - steps, interp.calls - calls
        trace.unbound = interp.unbound - unbound
        trace.oldest, interp.oldest = interp.oldest, min(interp.oldest, self._outer)
        trace.modes = (interp.autocast, interp.grad)
        trace.frames = tuple(_younger(interp.parents, trace.begin))
        lists, classes, described = self._lengths
        trace.lists = tuple(interp.parameter_lists[lists:])
        trace.classes = tuple(interp.library.classes[classes:])
        trace.described = tuple(list(dict.items(interp.described))[described:])
        trace.accelerated = interp.recorder.accelerated
        trace.entries = tuple(self._tracer.entries[self._entries :])
        trace.sound = _grave(interp) == self._grave
        self._write_asked(trace)


def _younger(frames: dict[int, int | None], birth: int) -> list[tuple[int, int | None]]:
    found: list[tuple[int, int | None]] = []
    for frame in reversed(frames):
        if frame < birth:
            break
        found.append((frame, frames[frame]))
    return found[::-1]


def _grave(interp: Interpreter) -> tuple[object, ...]:
    """What few calls change, and no trace writes down."""
    library, pauses, placements = interp.library, interp.pauses, interp.placements
    return (
        len(library.modules), len(library.host_options), library.default_floats, library.default_type,
        library.casts_unknown,
        interp.cuts, interp.granted, interp.exhausted, interp.raises, len(interp.raised or ()), len(interp.blocked or ()),
        None if pauses is None else len(pauses),
        None if placements is None else len(placements), sum(map(len, interp.to_leave.values())),
    )  # fmt: skip
