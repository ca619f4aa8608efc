"""``SobolEngine``: quasi-random points, which are always made on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import UNKNOWN, External, Obj, Ref, Tensor, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors.arguments import dtype_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "torch.quasirandom.SobolEngine"


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``SobolEngine(dimension, scramble=True)``."""
    return interp.new(Obj("external", External(NAME)))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``draw(n)`` gives float32 points unless told; the other methods give the engine itself."""
    if name not in ("draw", "draw_base2"):
        return ref if name in ("reset", "fast_forward") else UNKNOWN
    dtype = dtype_of(site.value(2, "dtype")) or "float32"
    trail = (interp.site("random-factory", site.node),)
    return Tensor(CPU, dtype, rank=2, grad=False, trail=trail)
