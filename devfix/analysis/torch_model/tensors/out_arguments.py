"""Out arguments: ``torch.add(a, b, out=c)`` writes into a tensor that has to be where what is computed is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Tensor, Value, without_none
from devfix.analysis.torch_model.tensors import requirements, sequences
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

NAME = "out"


def received(interp: Interpreter, operation: str, site: CallSite, made: Value) -> Value:
    """What a call gives that is told where to write what it ``made``: the tensor that it writes into.

    A number is no exception there, as it is among the operands.
    """
    given = site.keywords[NAME]
    out = without_none(given.value)
    if not isinstance(out, Tensor) or not isinstance(made, Tensor):
        return made
    operands = _operands(interp, site)
    if all(part.tensor.trail != out.trail for part in operands):
        there = [part for part in operands if part.tensor.device == made.device]
        into = Part(replace(out, empty=0), NAME, given.node)
        requirements.meet(interp, site.node, operation, [into, *there], detail={"in_place": NAME})
    # Told once: what follows is judged as if it had been there.
    return replace(out, device=made.device, rank=made.rank, empty=0)


def _operands(interp: Interpreter, site: CallSite) -> list[Part]:
    """What is computed from, be it given one by one or in a list."""
    named = [(name, arg) for name, arg in site.keywords.items() if name != NAME]
    roles = ("input", *("other" for _ in site.args[1:]))
    found: list[Part] = []
    for role, arg in [*zip(roles, site.args, strict=False), *named]:
        value = without_none(arg.value)
        if isinstance(value, Tensor):
            found.append(Part(value, role, arg.node))
    if not found and site.args:
        found, _ = sequences.members(interp, site.args[0])
    return found
