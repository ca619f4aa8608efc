"""What processes share: lists and dicts of a manager, and what is in queues and pipes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, Const, External, Ref
from devfix.analysis.language import containers, item_assignment
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model.concurrency import beside, threads
from devfix.analysis.torch_model.concurrency.beside import Put

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The class of a queue between processes.
QUEUE = External("multiprocessing.Queue")
#: The fact of a list or dict that processes share.
_SHARED = "shared by processes"


def shared(interp: Interpreter, ref: Ref) -> Ref:
    """A list or dict that has been made for processes to share."""
    interp.update(ref, interp.obj(ref).with_fact(_SHARED, Const(True)))
    return ref


def all_of(interp: Interpreter) -> list[Ref]:
    """All lists and dicts that processes share, among them those of what is in each queue."""
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
