"""Strangers: values of which nothing is known that meet what a program has been adopted with.

Everything was made for the CPU there. What a layer or a loss takes as an operand is a tensor, so it comes along; to
move what is there already does no harm. What is handed to a function remembers where, so that it can move there.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import Tensor, Unknown, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn.modules import is_module
from devfix.analysis.torch_model.loading import batch_mates, file_parts
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devfix.analysis.interpreter import Interpreter


def parts(interp: Interpreter, roles: Sequence[str], site: CallSite) -> list[Part]:
    """The operands of unknown kind among the first ones of a call, which must be tensors.

    What a module has computed in an unknown way is where the module is. Where nothing is adopted only those count that
    were left of a batch of which another part moved.
    """
    if not interp.program.adopts:
        return _left(interp, roles, site)
    given = ((role, site.get(position, role)) for position, role in enumerate(roles))
    found = (part(interp, arg.value, role, arg.node) for role, arg in given if arg is not None)
    return [each for each in found if each is not None]


def part(interp: Interpreter, value: Value, role: str, node: ast.expr | None) -> Part | None:
    """An operand of unknown kind that must be a tensor, where something is adopted."""
    if not interp.program.adopts or not isinstance(value, Unknown) or file_parts.is_one(interp, value):
        return None
    receiver = interp.frame.receiver
    computes = receiver is not None and is_module(interp, receiver)
    trail = interp.given.get(value.token, ())
    return Part(Tensor(UNKNOWN_DEVICE, trail=trail), role, node) if trail or not computes else None


def _left(interp: Interpreter, roles: Sequence[str], site: CallSite) -> list[Part]:
    found: list[Part] = []
    for position, role in enumerate(roles):
        arg = site.get(position, role)
        left = batch_mates.tensor(interp, arg.value) if arg is not None else None
        if arg is not None and left is not None:
            found.append(Part(left, role, arg.node))
    return found
