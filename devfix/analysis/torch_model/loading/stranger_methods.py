"""Methods of strangers: what is asked for one that tensors have is a tensor."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import DeviceValue, Tensor, Unknown, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.loading import file_parts
from devfix.analysis.torch_model.tensors import tensor_methods
from devfix.analysis.torch_model.tensors.specs import FLOATING, RESHAPES, SAME

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Methods that collections have too.
_OF_OTHERS = frozenset(name for kind in (list, dict, set, str, tuple) for name in dir(kind))
_METHODS = (SAME | FLOATING | RESHAPES) - _OF_OTHERS


def call(interp: Interpreter, callee: Value, site: CallSite) -> Value | None:
    """``x.to(device)``, and ``x.view(2, 3)`` of an unknown argument: it is a tensor; None for any other call."""
    if not (isinstance(callee, Unknown) and interp.program.adopts):
        return None
    func = site.node.func if isinstance(site.node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr == "to" and isinstance(site.value(0), DeviceValue):
        return tensor_methods.call(interp, Tensor(UNKNOWN_DEVICE), "to", func, site)
    token, _, name = callee.token.rpartition(".")
    trail = interp.given.get(token) or file_parts.life(interp, Unknown(token))
    if not trail or name not in _METHODS:
        return None
    return tensor_methods.call(interp, Tensor(UNKNOWN_DEVICE, trail=trail), name, func, site)
