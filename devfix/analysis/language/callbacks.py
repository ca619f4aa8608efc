"""Callbacks: functions of the project that code from outside is given, and calls with what nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        if isinstance(function, Function) and not _is_known(interp, function):
            _look(interp, arg.value, function, site)


def _is_known(interp: Interpreter, function: Function) -> bool:
    return interp.recorder.was_executed(function.node, function.path)


def _look(interp: Interpreter, callee: Value, function: Function, site: CallSite) -> None:
    spec = function.node.args
    wanted = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults) - isinstance(callee, BoundMethod)
    before = interp.state.fork()
    interp.call(callee, CallSite(site.node, (Arg(UNKNOWN),) * max(wanted, 0)))
    interp.state = before
