"""Weights: a parameter of a module as an operand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Ref, Tensor
from devfix.analysis.torch_model.modules import owners
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def operand(
    interp: Interpreter, ref: Ref, place: Tensor, parts: list[Part], callee: ast.expr | None
) -> tuple[Part, dict[str, str] | None]:
    """A parameter of ``ref`` as an operand beside ``parts``, and the detail of a mismatch between them.

    To find what holds a module is dear, so that is done only where the operands disagree.
    """
    tensors = [place, *(part.tensor for part in parts)]
    tensors += [tensor.split for tensor in tensors if tensor.split is not None]
    devices = {tensor.device.kind for tensor in tensors}
    dtypes = {tensor.dtype for tensor in tensors if tensor.dtype is not None}
    apart = "cpu" in devices and not devices.isdisjoint(("accelerator", "same-as"))
    if owners.SUBSTITUTED in interp.obj(ref).facts:
        return Part(place, "weight", callee, held=True), None
    if interp.recorder.muted or not (apart or len(dtypes) > 1):
        return Part(place, "weight", callee), None
    key = (id(callee), ref.address, place.trail[:1])
    known = interp.described.get(key)
    if known is None:
        usual = place.split if place.split is not None and place.is_parted else place
        known = interp.described[key] = owners.described(interp, ref, usual)
    life = known[0]
    split = replace(place.split, trail=life.trail, roots=life.roots) if place.split is not None else None
    part = Part(replace(place, trail=life.trail, roots=life.roots, split=split), "weight", callee)
    return part, known[1] if apart else None
