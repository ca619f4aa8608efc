"""What processes share: queues, lists and dicts. What one process puts there is another tensor in the process that gets it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import UNKNOWN, Const, External, Obj, Ref, Value
from devfix.analysis.language import containers, item_assignment
from devfix.analysis.language.frames import CallSite
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model.concurrency import beside, threads
from devfix.analysis.torch_model.concurrency.beside import Put

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

QUEUE = External("multiprocessing.Queue")
NAMES = ("Queue", "JoinableQueue", "SimpleQueue")
MANAGER = "multiprocessing.managers.SyncManager"
#: The fact of a list or dict that processes share.
_SHARED = "shared by processes"


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
    return join_all([beside.received(interp, beside.sent(interp, each), made) for each in held])


def manager(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``multiprocessing.Manager()``."""
    return interp.new(Obj("external", External(MANAGER)))


def of_manager(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``manager.Queue()``, ``manager.dict()``, ``manager.list()``: what any process may be given."""
    if name in NAMES:
        return queue(interp, name, site)
    if name not in ("dict", "list"):
        return ref if name == "__enter__" else UNKNOWN
    made = interp.call(External(f"builtins.{name}"), site)
    if isinstance(made, Ref):
        interp.update(made, interp.obj(made).with_fact(_SHARED, Const(True)))
    return made


def all_of(interp: Interpreter) -> list[Ref]:
    """The lists and dicts that processes share, among them those of what is in each queue."""
    found = [(Ref(address), obj) for address, obj in reads.objects(interp)]
    return [
        threads.held(interp, each) if obj.cls == QUEUE else each
        for each, obj in found
        if obj.cls == QUEUE or _SHARED in obj.facts
    ]


def receive(interp: Interpreter, put: Iterable[Put], node: ast.expr) -> None:
    """What a process that is started at ``node`` puts where others find it is there."""
    made = interp.site("other", node)
    for where, key, snapshot in put:
        value, held = beside.received(interp, snapshot, made), interp.obj(where)
        if held.kind == "dict":
            item_assignment.assign(interp, where, UNKNOWN if key is None else key, value, None)
        elif key is None:
            containers.append(interp, where, value)
        else:
            interp.update(where, containers.shuffled(held, value))
