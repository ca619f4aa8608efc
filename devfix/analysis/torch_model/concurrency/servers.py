"""Servers: processes that wait for what they are sent, and answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, Const, Partial, Ref, TupleValue, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.concurrency import beside, shared_objects
from devfix.analysis.torch_model.concurrency.beside import Doings, Put

if TYPE_CHECKING:
    import ast

    from devfix.analysis.interpreter import Interpreter

#: The fact of a list of what was sent: the calls that wait for more.
_SERVED = "served by"
#: The fact of such a list: that what came in has changed what one of them has, so that nobody knows what it answers from then on.
_CHANGED = "changed"


def wait(interp: Interpreter, function: Value, given: CallSite, done: Doings) -> None:
    """A process that has found nothing where it looked for something goes on once there is something."""
    if given.open:
        return
    named = tuple((name, arg.value) for name, arg in given.keywords.items())
    call = Partial(function, tuple(arg.value for arg in given.args), named)
    for where in done.waits:
        obj = interp.obj(where)
        known = _calls(interp, where)
        if call not in known:
            interp.update(where, obj.with_fact(_SERVED, TupleValue((*known, call))))


def _calls(interp: Interpreter, where: Ref) -> tuple[Value, ...]:
    known = interp.obj(where).facts.get(_SERVED)
    return known.items if isinstance(known, TupleValue) else ()


def is_served(interp: Interpreter, where: Ref) -> bool:
    """Whether a process waits for what is put there."""
    return bool(_calls(interp, where))


def serve(interp: Interpreter, where: Ref, node: ast.expr) -> None:
    """What is put somewhere is looked at by the processes that wait for it: they put their answers where they do that."""
    for call in _calls(interp, where):
        shared = shared_objects.all_of(interp)
        if _CHANGED in interp.obj(where).facts:
            shared_objects.receive(interp, [Put(each, None, UNKNOWN) for each in shared], node)
            continue
        done = beside.called(interp, call, CallSite(node), shared)
        shared_objects.receive(interp, done.put, node)
        if done.changed:
            interp.update(where, interp.obj(where).with_fact(_CHANGED, Const(True)))
