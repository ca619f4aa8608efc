"""Callbacks: functions of the project that code from outside is given, and calls with what nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import UNKNOWN, BoundMethod, Function, Value
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def run(interp: Interpreter, site: CallSite) -> None:
    """Look at what a script hands over as it is then; what it does is done some time, and nobody relies on it."""
    if not interp.is_script:
        return
    for arg in site.all_args():
        function = arg.value.function if isinstance(arg.value, BoundMethod) else arg.value
        if isinstance(function, Function) and not _is_known(interp, function, site):
            _look(interp, arg.value, function, site)


def _is_known(interp: Interpreter, function: Function, site: CallSite) -> bool:
    """Whether a function was looked at, with the functions beside it that it may call: a closure has others each time."""
    known = interp.recorder.was_executed(function.node, function.path)
    beside = _beside(interp, function)
    if beside:
        handed = replace(interp.site("called-back", site.node), text=beside)
        known = known and handed in interp.recorder.remarked
        interp.recorder.remarked.add(handed)
    return known


def _beside(interp: Interpreter, function: Function) -> str:
    """Where the functions stand that the variables around a nested function hold."""
    if function.frame == interp.outermost(function.frame):
        return ""
    around = interp.state.variables(function.frame).values()
    held = (value.function if isinstance(value, BoundMethod) else value for value in around)
    others = (each for each in held if isinstance(each, Function) and each.node is not function.node)
    return " ".join(sorted({f"{each.path}:{each.node.lineno}:{each.node.col_offset}" for each in others}))


def _look(interp: Interpreter, callee: Value, function: Function, site: CallSite) -> None:
    spec = function.node.args
    wanted = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults) - isinstance(callee, BoundMethod)
    before = interp.state.fork()
    interp.call(callee, CallSite(site.node, (Arg(UNKNOWN),) * max(wanted, 0)))
    interp.state = before
