"""Carrying: a call of the run before counts in a run that is no longer like it, where it asks for nothing that differs.

What a call comes to depends on what it is given, on what it asks of the state and of what was noted down, and
on the mode that the interpreter is in. Where all that is as it was, the call does what it did: what it left
behind it leaves behind again, whatever else has become of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain.state import parted
from devfix.analysis.domain.values import Value
from devfix.analysis.record.recorder import contents_of
from devfix.analysis.reuse.traces import OF_RECORDER, Change, Trace
from devfix.analysis.reuse.watched import entry_of, value_of

if TYPE_CHECKING:
    from devfix.analysis.domain.values import Function
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: What stands for what the saved files hold, among the names of collections.
CONTENTS = "contents of files"
#: Collections of the library that calls ask.
_OF_LIBRARY = frozenset({"classes"})


def circumstances(interp: Interpreter) -> tuple[Any, ...]:
    """What calls depend on besides the state and what was noted down."""
    library, recorder, state = interp.library, interp.recorder, interp.state
    return (
        interp.autocast, interp.grad, state.dead, state.default_device, state.used, recorder.accelerated,
        recorder.muted > 0, state.hidden,
        library.default_floats, library.casts_unknown, library.default_type, library.as_given,
        len(library.host_options),
        tuple(library.modules.items()), interp.pauses is None, interp.raised is None, interp.blocked is None,
        interp.placements is None, interp.is_script,
        interp.stack[-1].statement if interp.stack else None, interp.granted,
        tuple(frame.receiver for frame in interp.stack),
    )  # fmt: skip


def given_to(function: Function, site: CallSite) -> tuple[Any, ...]:
    """All that a call is given, in the form in which two calls are compared."""
    return (function, site.args, tuple(site.keywords.items()), site.open, site.spread)


def may_be_carried(interp: Interpreter, trace: Trace, same: Callable[[Any, Any], bool]) -> bool:
    """Whether what a call asked for is what it would be told now, all else being as it was."""
    if trace.asked is None or change_of(trace) is None:
        return False
    return all(same(_now(interp, key), value) for key, value in trace.asked.items())


def is_given_the_same(
    interp: Interpreter, trace: Trace, given: tuple[Any, ...], same: Callable[[Any, Any], bool]
) -> bool:
    """Whether a call is made as it was in the run before."""
    return same(trace.given, given) and same(trace.circumstances, circumstances(interp))


def _now(interp: Interpreter, key: Any) -> Any:
    if key.__class__ is int or key[0].__class__ is int:
        return value_of(interp.state, key)
    holder, part = key
    if holder == CONTENTS:
        return contents_of(interp.recorder)
    owner: Any = interp
    if holder in OF_RECORDER:
        owner = interp.recorder
    elif holder in _OF_LIBRARY:
        owner = interp.library
    return entry_of(getattr(owner, holder), part)


def change_of(trace: Trace) -> Change | None:
    """What a call changed; None where that cannot be told apart from what imported modules hold."""
    if trace.change is None:
        trace.change = _found_change(trace) or ()
    return trace.change or None


def _found_change(trace: Trace) -> Change | None:
    before, after = trace.entry, trace.exit
    assert before is not None, "the call has begun"
    assert after is not None, "the call has ended"
    frames, heap = parted(before, after)
    variables: list[tuple[int, str, Value | None]] = []
    for frame in frames:
        old, new = before.bound(frame), after.bound(frame)
        if old is new:
            continue
        if frame < trace.begin and before.is_in_library(frame):
            return None
        variables += [(frame, name, value) for name, value in new.items() if old.get(name) is not value]
        variables += [(frame, name, None) for name in old if name not in new]
    objects = [
        (address, obj)
        for address in heap
        if (obj := after.held(address)) is not None and obj is not before.held(address)
    ]
    return tuple(variables), tuple(objects)


def carry(interp: Interpreter, trace: Trace) -> None:
    """Let the state be as after a call."""
    change, before, after = change_of(trace), trace.entry, trace.exit
    assert change is not None, "it was asked for"
    assert before is not None, "the call has begun"
    assert after is not None, "the call has ended"
    variables, objects = change
    state, live = interp.state, interp.parents
    for frame, name, value in variables:
        if frame not in live:
            continue
        if value is None:
            state.delete(frame, name)
        else:
            state.set(frame, name, value)
    for address, obj in objects:
        state.write(address, obj)
    state.dead, state.used, state.hidden = after.dead, after.used, after.hidden
    if after.default_device is not before.default_device:
        state.default_device = after.default_device
