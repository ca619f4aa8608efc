"""Queues between processes: what one process puts into a queue is another tensor in the process that gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Value
from devfix.analysis.language import containers
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.concurrency import beside, servers, shared_objects, threads

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAMES = ("Queue", "JoinableQueue", "SimpleQueue")
MANAGER = "multiprocessing.managers.SyncManager"


def queue(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``multiprocessing.Queue(...)``."""
    return interp.new(Obj("external", shared_objects.QUEUE, trail=(interp.site("other", site.node),)))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``put`` adds; what ``get`` gives is made anew here, where the sender had it."""
    found = threads.queue_method(interp, ref, obj, name, site)
    if name in ("put", "put_nowait"):
        servers.serve(interp, threads.held(interp, ref), site.node)
    if name not in ("get", "get_nowait") or found == UNKNOWN:
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
    return shared_objects.shared(interp, made) if isinstance(made, Ref) else made
