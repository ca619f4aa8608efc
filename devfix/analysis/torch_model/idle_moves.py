"""Idle moves: calls of ``to`` that leave what they are called on where it is, whenever they are run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.modules import module_device
from devfix.analysis.torch_model.arguments import device_of
from devfix.analysis.values import Const, ExternalMethod, Tensor, Value

if TYPE_CHECKING:
    from devfix.analysis.frames import CallSite
    from devfix.analysis.interpreter import Interpreter


METHODS = ("to", "cuda")


def note(interp: Interpreter, node: ast.Call, callee: Value, site: CallSite) -> None:
    """Write down whether ``x.to(device)`` or ``x.cuda()`` moves anything."""
    interp.recorder.call_of_to(interp.frame.path, node, is_idle=_is_idle(interp, callee, site))


def _is_idle(interp: Interpreter, callee: Value, site: CallSite) -> bool:
    if not isinstance(callee, ExternalMethod) or site.keywords or site.open:
        return False
    if len(site.args) != (callee.name == "to"):
        return False
    receiver, target = callee.receiver, site.args[0].value if site.args else Const("cuda")
    wanted = device_of(target) if not isinstance(target, Tensor) else None
    here = receiver.device if isinstance(receiver, Tensor) else module_device(interp, receiver)
    parted = isinstance(receiver, Tensor) and receiver.split is not None
    return wanted is not None and wanted.is_known and wanted == here and not parted
