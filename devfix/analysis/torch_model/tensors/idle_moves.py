"""Idle moves: what leaves something where it is, whenever it is run: calls of ``to``, and the device of what is made alike."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Const, External, ExternalMethod, Tensor, Unknown, Value
from devfix.analysis.nn.modules import module_device
from devfix.analysis.record.recorder import Moved
from devfix.analysis.torch_model.tensors.arguments import device_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite


#: Functions that make a tensor like another one, which is where that is unless they are told a device.
ALIKE = frozenset(f"{kind}_like" for kind in "zeros ones empty full rand randn randint".split())
METHODS = frozenset({"to", "cuda", *ALIKE})


def note(interp: Interpreter, node: ast.Call, callee: Value, site: CallSite) -> None:
    """Write down whether ``x.to(device)``, ``x.cuda()`` or ``zeros_like(x, device=device)`` moves anything."""
    alike = isinstance(callee, External) or (isinstance(node.func, ast.Attribute) and node.func.attr in ALIKE)
    if alike and "device" not in site.keywords:
        return
    moving = _made_alike(callee, site) if alike else _moved(callee, site)
    if moving is not None and _is_idle(interp, *moving):
        moved = Moved.NOTHING_IN_SCRIPT if interp.is_script else Moved.NOTHING
    else:
        unknown = isinstance(callee, Unknown) or (moving is not None and _is_anywhere(moving[0]))
        moved = Moved.NOBODY_KNOWS if unknown and not interp.is_script else Moved.SOMETHING
    interp.recorder.call_of_to(interp.frame.path, node, moved)


def _moved(callee: Value, site: CallSite) -> tuple[Value, Value] | None:
    """What a call of ``to`` or ``cuda`` moves, and where to; None where it may do other things."""
    if not isinstance(callee, ExternalMethod) or site.keywords or site.open:
        return None
    if len(site.args) != (callee.name == "to"):
        return None
    return callee.receiver, site.args[0].value if site.args else Const("cuda")


def _made_alike(callee: Value, site: CallSite) -> tuple[Value, Value] | None:
    """What ``zeros_like`` takes as its example, and the device that it is told."""
    known = isinstance(callee, External) and callee.name.removeprefix("torch.") in ALIKE
    return (site.args[0].value, site.keywords["device"].value) if known and site.args else None


def _is_idle(interp: Interpreter, what: Value, target: Value) -> bool:
    wanted = device_of(target) if not isinstance(target, Tensor) else None
    here = what.device if isinstance(what, Tensor) else module_device(interp, what)
    parted = isinstance(what, Tensor) and what.split is not None
    return wanted is not None and wanted.is_known and wanted == here and not parted


def _is_anywhere(what: Value) -> bool:
    return isinstance(what, Unknown) or (isinstance(what, Tensor) and not what.device.is_known)
