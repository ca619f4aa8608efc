"""Beside: what a function does that another process calls. It works on copies, and what it hands back or sends is made anew here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.domain.copying import frozen, replace
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
    """

    used: Origin | None
    result: Value
    back: Snapshot
    put: tuple[Put, ...] = ()
    waits: frozenset[Ref] = frozenset()


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
    used, waits = interp.state.used, frozenset(threads.wanted(interp) - asked)
    if is_of_project(interp, function):
        back = back if interp.state.dead else sent(interp, result)
        put = []
        # What is left of a statement in which it waits has not been done.
        for state in (
            interp.blocked if interp.state.dead and interp.blocked else [interp.state, *interp.blocked]
        ):
            interp.state = state
            put += [part for each, old in there.items() for part in _put(interp, each, old)]
    interp.state, interp.raised, interp.blocked = before, raised, blocked
    return Doings(used, result, back, tuple(put), waits)


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
