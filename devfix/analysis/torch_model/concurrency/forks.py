"""Forks: a process that is forked from one that has used the accelerator cannot use it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import Tensor
from devfix.analysis.language.frames import Arg
from devfix.analysis.text.syntax import in_rows, remembered
from devfix.analysis.torch_model.concurrency import beside, rebirth
from devfix.analysis.torch_model.concurrency.beside import Doings
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.findings import Origin
from devfix.records import frozen

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
    called = [node for node in in_rows(tree) if isinstance(node, ast.Call)]
    forks = [node.func for node in called if node.args and _is_text(node.args[0], "fork")]
    named = [
        node
        for node in in_rows(tree)
        if (isinstance(node, ast.Attribute) and node.attr == _SETTER)
        or (isinstance(node, ast.Name) and node.id == _SETTER)
    ]
    return bool(named) and all(node in forks for node in named)


def _is_text(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def is_in_question(interp: Interpreter, start: Start) -> bool:
    """Whether a process that is started so cannot use the accelerator."""
    return start.used is not None and interp.is_script


def check(
    interp: Interpreter, start: Start, function: Arg, done: Doings, node: ast.expr, *, arrives: bool = False
) -> None:
    """Facts: "Dataset moves to cuda, num_workers=2 (fork)"; any other process that is forked is no better off.

    Whoever started it knows what ``arrives`` of what the function gives, or does not.
    """
    if not is_in_question(interp, start) or done.used is None:
        return
    trails = tuple(
        (Origin(kind, site.path, site.span, site.text, site.scope),)
        for kind, site in (("used-before", start.used), ("used-in-process", done.used))
        if site is not None
    )
    part = Part(Tensor(UNKNOWN_DEVICE, trail=(start.made,), roots=trails), "function", function.node)
    spawned = start.plain and rebirth.may_spawn(interp, function.value)
    detail = {"spawned": "1"} if spawned else {}
    if arrives and beside.is_only_moved(done.result, done.used):
        detail["handed-back"] = "1"
    requirements.record(interp, node, start.name, "fork", [part], **detail)
