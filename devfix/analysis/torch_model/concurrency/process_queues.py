"""Queues between processes: what one process puts into a queue is another tensor in the process that gets it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import External, Obj, Ref, Value
from devfix.analysis.language import containers
from devfix.analysis.language.frames import CallSite
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model.concurrency import beside, threads
from devfix.analysis.torch_model.training.snapshots import Snapshot

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
    return join_all([beside.received(interp, beside.sent(interp, each), made) for each in held])


def all_of(interp: Interpreter) -> list[Ref]:
    """The lists of what is in each queue between processes."""
    queues = [Ref(address) for address, obj in reads.objects(interp) if obj.cls == QUEUE]
    return [threads.held(interp, each) for each in queues]


def receive(interp: Interpreter, put: Iterable[tuple[Ref, Snapshot]], node: ast.expr) -> None:
    """What a process that is started at ``node`` puts into queues is there."""
    made = interp.site("other", node)
    for each, snapshot in put:
        containers.append(interp, each, beside.received(interp, snapshot, made))
