"""Pipes: what one process sends through its end of one another receives at the other end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.values import NONE, UNKNOWN, Const, External, Obj, Ref, Scalar, TupleValue, Value
from devfix.analysis.language import containers
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.concurrency import beside, servers, shared_objects, threads

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "multiprocessing.connection.Connection"
#: Under which names an end of a pipe has the lists of what has come in, and of what the other end gets.
_IN, _OUT = "#in", "#out"
#: The fact of what has come in: that it was received, so that what comes next takes its place.
_RECEIVED = "received"


def pipe(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``multiprocessing.Pipe()``: its two ends."""
    one, other = (shared_objects.shared(interp, interp.new(Obj("list", items=()))) for _ in range(2))
    ends = ({_IN: one, _OUT: other}, {_IN: other, _OUT: one})
    return TupleValue(tuple([interp.new(Obj("external", External(NAME), attrs=end)) for end in ends]))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``send`` and ``recv``."""
    come, sent = obj.attrs[_IN], obj.attrs[_OUT]
    assert isinstance(come, Ref) and isinstance(sent, Ref)  # noqa: PT018 - so they are made
    if name == "send" and site.args:
        _renew(interp, come)
        _send(interp, sent, site)
        return NONE
    if name == "recv":
        found = containers.everything(interp.obj(come))
        if interp.blocked is not None and servers.is_served(interp, come) and not interp.state.dead:
            interp.blocked.append(interp.state.fork())
            if not found or _RECEIVED in interp.obj(come).facts:  # each message comes in once
                interp.state.dead = True
                return UNKNOWN
        if not found:
            interp.update(ref, threads.asked(interp.obj(ref), come))
        interp.update(come, interp.obj(come).with_fact(_RECEIVED, Const(True)))
        made = interp.site("other", site.node)
        return join_all([beside.received(interp, beside.sent(interp, each), made) for each in found])
    if name == "__enter__":
        return ref
    return Scalar("bool") if name == "poll" else NONE


def _send(interp: Interpreter, where: Ref, site: CallSite) -> None:
    """Whoever waits for what is sent has seen what was sent before."""
    value = beside.received(interp, beside.sent(interp, site.args[0].value), interp.site("other", site.node))
    if not servers.is_served(interp, where):
        containers.append(interp, where, value)
        return
    interp.update(where, replace(interp.obj(where), items=(value,), element=None))
    servers.serve(interp, where, site.node)


def _renew(interp: Interpreter, come: Ref) -> None:
    """What has come in and was received is followed by the answer to what is sent now."""
    obj = interp.obj(come)
    if _RECEIVED in obj.facts:
        facts = {name: value for name, value in obj.facts.items() if name != _RECEIVED}
        interp.update(come, replace(obj, items=(), element=None, facts=facts))
