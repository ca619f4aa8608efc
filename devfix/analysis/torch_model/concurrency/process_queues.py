"""Queues between processes: what one process puts into a queue is another tensor in the process that gets it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Obj,
    Partial,
    Ref,
    Tensor,
    Value,
)
from devfix.analysis.language import containers
from devfix.analysis.language.frames import CallSite
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model.concurrency import threads
from devfix.analysis.torch_model.training import snapshots
from devfix.analysis.torch_model.training.snapshots import Snapshot
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

QUEUE = External("multiprocessing.Queue")
NAMES = ("Queue", "JoinableQueue", "SimpleQueue")


def queue(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``multiprocessing.Queue(...)``."""
    return interp.new(Obj("external", QUEUE, trail=(interp.site("other", site.node),)))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``put`` adds; what ``get`` gives is made anew here, where the sender had it."""
    found = threads.queue_method(interp, ref, obj, name, site)
    if name not in ("get", "get_nowait"):
        return found
    made = interp.site("other", site.node)
    held = containers.everything(interp.obj(threads.held(interp, ref)))
    return join_all([_received(interp, _sent(interp, each), made) for each in held])


def _sent(interp: Interpreter, value: Value) -> Snapshot:
    return value if isinstance(value, Const) else snapshots.taken(interp, value)


def _received(interp: Interpreter, sent: Snapshot, made: Origin) -> Value:
    def here(held: Value) -> Value:
        return replace(held, trail=(made,), roots=()) if isinstance(held, Tensor) else held

    return snapshots.restored(interp, sent, made, here)


def run_beside(interp: Interpreter, function: Value, given: CallSite | None, node: ast.expr) -> None:
    """A process begins, which calls a function, with what nobody knows if with nothing: queues get what it puts there.

    What else it does is done to its own copy of everything.
    """
    queues = [Ref(address) for address, obj in reads.objects(interp) if obj.cls == QUEUE]
    if not queues:
        return
    lists = [threads.held(interp, each) for each in queues]
    sent: list[tuple[Ref, Snapshot]] = [(each, UNKNOWN) for each in lists]
    if given is not None and _is_of_project(interp, function):
        before, raised = interp.state, interp.raised
        interp.state, interp.raised = before.fork(), None
        there = {each: containers.everything(interp.obj(each)) for each in lists}
        interp.call(function, given)
        sent = [
            (each, _sent(interp, value))
            for each in lists
            for value in containers.everything(interp.obj(each))
            if value not in there[each]
        ]
        interp.state, interp.raised = before, raised
    made = interp.site("other", node)
    for each, snapshot in sent:
        containers.append(interp, each, _received(interp, snapshot, made))


def called_beside(interp: Interpreter, function: Value, given: CallSite) -> Value:
    """What a function of the project gives back that another process calls: made anew here.

    What else it does is done to that process's own copy of everything.
    """
    if not _is_of_project(interp, function):
        return UNKNOWN
    before, raised = interp.state, interp.raised
    interp.state, interp.raised = before.fork(), None
    value = interp.call(function, given)
    sent = UNKNOWN if interp.state.dead else _sent(interp, value)
    interp.state, interp.raised = before, raised
    return _received(interp, sent, interp.site("other", given.node))


def _is_of_project(interp: Interpreter, function: Value) -> bool:
    called = function.function if isinstance(function, Partial) else function
    obj = interp.obj_of(called)
    own = obj is not None and isinstance(obj.cls, Class)
    return own or isinstance(called, (Function, BoundMethod))
