"""Servers: processes that wait for what they are sent, and answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Partial, Ref, TupleValue, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.concurrency import beside, shared_objects

if TYPE_CHECKING:
    import ast

    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.torch_model.concurrency.beside import Doings

#: The fact of a list of what was sent: the calls that wait for more.
_SERVED = "served by"


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
        done = beside.called(interp, call, CallSite(node), shared_objects.all_of(interp))
        shared_objects.receive(interp, done.put, node)
