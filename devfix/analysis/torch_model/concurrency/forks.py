"""Forks: a process that is forked from one that has used the accelerator cannot use it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import frozen
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import UNKNOWN, Tensor, Value
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.text.syntax import remembered
from devfix.analysis.torch_model.concurrency import handed_back, rebirth
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_SETTER = "set_start_method"


@frozen
class Start:
    """How processes start: what is called for it, and where, and what has used the accelerator before, if anything.

    ``plain`` tells that nothing but numbers and texts is handed over at the start, ``later`` that nobody has started yet.
    """

    name: str
    made: Origin
    used: Origin | None
    plain: bool
    later: bool = False


def chooses_another(interp: Interpreter) -> bool:
    """Whether a program may choose that processes do not start by a fork."""
    sources = interp.program.sources.values()
    return any(_SETTER in source.text and not _is_fork(source.tree) for source in sources)


@remembered
def _is_fork(tree: ast.Module) -> bool:
    """Whether all that is made of the setter is a call that chooses the fork."""
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    forks = [node.func for node in called if node.args and _is_text(node.args[0], "fork")]
    named = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr == _SETTER)
        or (isinstance(node, ast.Name) and node.id == _SETTER)
    ]
    return bool(named) and all(node in forks for node in named)


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def check(interp: Interpreter, start: Start, function: Arg, given: CallSite, *, back: bool = False) -> Value:
    """Facts: "Dataset moves to cuda, num_workers=2 (fork)"; any other process that is forked is no better off.

    Gives what arrives of the function's result, where that is handed ``back`` and anybody has looked.
    """
    if start.used is None or not interp.is_script:
        return UNKNOWN
    inside, result = in_a_process(interp, function.value, given)
    arrived = handed_back.received(result, interp.site("result", given.node)) if back else UNKNOWN
    if inside is None:
        return arrived
    trails = tuple(
        (Origin(kind, site.path, site.span, site.text, site.scope),)
        for kind, site in (("used-before", start.used), ("used-in-process", inside))
    )
    part = Part(Tensor(UNKNOWN_DEVICE, trail=(start.made,), roots=trails), "function", function.node)
    spawned = start.plain and rebirth.may_spawn(interp, function.value)
    detail = {"spawned": "1"} if spawned else {}
    if arrived != UNKNOWN and handed_back.is_only_moved(result, inside):
        detail["handed-back"] = "1"
    requirements.record(interp, given.node, start.name, "fork", [part], **detail)
    return arrived


def in_a_process(interp: Interpreter, function: Value, given: CallSite) -> tuple[Origin | None, Value]:
    """What a function certainly puts on the accelerator first, and its result; what else it does is done in a process of its own."""
    before = interp.state
    interp.state = before.fork()
    interp.state.used = None
    result = interp.call(function, given)
    found, interp.state = interp.state.used, before
    return found, result
