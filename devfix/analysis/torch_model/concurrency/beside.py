"""Beside: what a function does that another process calls. It works on copies, and what it hands back or sends is made anew here."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.state import State, both, parted
from devfix.analysis.domain.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    Function,
    Obj,
    Partial,
    Ref,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language import containers, iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.concurrency import threads
from devfix.analysis.torch_model.training import snapshots
from devfix.analysis.torch_model.training.snapshots import Snapshot
from devfix.findings import Origin
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


class Put(NamedTuple):
    """What a function put into a list or dict that processes share: under which key, or None where it is one more item."""

    where: Ref
    key: Value | None
    value: Snapshot


@frozen
class Doings:
    """What a function did in a process of its own.

    ``used`` is what it certainly put on the accelerator first, ``result`` what it came to there and ``back`` what it hands
    back of that, ``put`` what it put where other processes find it, ``waits`` where it looked in vain for what they put.
    ``changed``: it answers what comes next with something else than it had when it began to wait.
    """

    used: Origin | None
    result: Value
    back: Snapshot
    put: tuple[Put, ...] = ()
    waits: frozenset[Ref] = frozenset()
    changed: bool = False


def called(
    interp: Interpreter,
    function: Value,
    given: CallSite,
    shared: Iterable[Ref] = (),
    *,
    first: Value | None = None,
) -> Doings:
    """What a function does in another process; what it does to objects it does to that process's own copies.

    The process may have called another one ``first``, when it began.
    """
    before, raised, blocked = interp.state, interp.raised, interp.blocked
    interp.state, interp.raised, interp.blocked = before.fork(), None, []
    interp.state.used = None
    there, asked = {each: interp.obj(each) for each in shared}, threads.wanted(interp)
    if first is not None:
        interp.call(first, CallSite(given.node))
    result = interp.call(function, given)
    back: Snapshot = UNKNOWN
    put = [Put(each, None, UNKNOWN) for each in there]
    used, wanted = interp.state.used, threads.wanted(interp) - asked
    changed = any(_is_changed(interp.blocked[0], end, there) for end in interp.blocked[1:])
    if is_of_project(interp, function):
        back = back if interp.state.dead else sent(interp, result)
        put = []
        # What is left of a statement in which it waits has not been done.
        waiting = interp.blocked[1:]
        for state in waiting if interp.state.dead and waiting else [interp.state, *waiting]:
            interp.state = state
            put += [part for each, old in there.items() for part in _put(interp, each, old)]
    interp.state, interp.raised, interp.blocked = before, raised, blocked
    waits = frozenset(
        each for each in wanted if interp.obj_of(each) is not None
    )  # others are the process's own
    return Doings(used, result, back, tuple(put), waits, changed)


def _is_changed(begin: State, end: State, shared: Container[Ref]) -> bool:
    """Whether a process that waits again has other things than when it first waited, of which it makes other answers."""
    frames, heap = parted(end, begin)
    pairs: list[tuple[Value | None, Value | None]] = []
    for frame in frames:
        held = end.bound(frame)
        pairs += [(value, held[name]) for name, value in begin.bound(frame).items() if name in held]
    for address in heap:
        now, then = both(end, begin, address)
        if now is None or then is None or then.kind == "external" or Ref(address) in shared:
            continue
        pairs += [(value, now.attrs.get(name)) for name, value in then.attrs.items()]
        pairs.append((then.element, now.element))
        if then.items != now.items:
            pairs += itertools.zip_longest(then.items or (), now.items or ())
    return any(_differ(*pair) for pair in pairs)


def _differ(one: Value | None, other: Value | None) -> bool:
    """Whether two values are more than numbers that differ, or tensors of the same kind."""
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return (one.device, one.dtype) != (other.device, other.dtype)
    if one is None or other is None:
        return one is not other
    return one != other and not {scalar_type(one), scalar_type(other)} <= {"int", "float", "bool"}


def _put(interp: Interpreter, where: Ref, old: Obj) -> Iterator[Put]:
    """What was put into a list or dict since it was what it was."""
    new = interp.obj(where)
    for name, value in new.attrs.items():
        if old.attrs.get(name) is not value:
            yield Put(where, iteration.key_value(name), sent(interp, value))
    if new.kind == "dict":
        if new.element is not None and new.element is not old.element:
            yield Put(where, UNKNOWN, sent(interp, new.element))
        return
    known = containers.everything(old)
    replaced = old.items is not None and (new.items or ())[: len(old.items)] != old.items
    for value in containers.everything(new):
        if value not in known:
            yield Put(where, UNKNOWN if replaced else None, sent(interp, value))


def is_of_project(interp: Interpreter, function: Value) -> bool:
    """Whether a function, or the class of an object that is called, is the project's own."""
    called = function.function if isinstance(function, Partial) else function
    obj = interp.obj_of(called)
    own = obj is not None and isinstance(obj.cls, Class)
    return own or isinstance(called, (Function, BoundMethod))


def sent(interp: Interpreter, value: Value) -> Snapshot:
    """What leaves a process of a value: numbers, texts, arrays and tensors, and what holds such."""
    return snapshots.taken(interp, value, constants=True)


def received(interp: Interpreter, snapshot: Snapshot, made: Origin) -> Value:
    """What arrives of it at a place: where the sender had it."""

    def here(held: Value) -> Value:
        return replace(held, trail=(made,), roots=(), typed=()) if isinstance(held, Tensor) else held

    return snapshots.restored(interp, snapshot, made, here)


def is_only_moved(result: Value, use: Origin) -> bool:
    """Whether a use of the accelerator moves a part of what is handed back, and nothing is computed of that afterwards."""
    items = result.items if isinstance(result, TupleValue) else (result,)
    moved = [item for item in items if isinstance(item, Tensor) and item.device.is_accelerator]
    return any(_begins(item, use) for item in moved)


def _begins(tensor: Tensor, use: Origin) -> bool:
    first = tensor.trail[0] if tensor.trail else None
    return first is not None and first.kind == "move" and (first.path, first.span) == (use.path, use.span)
