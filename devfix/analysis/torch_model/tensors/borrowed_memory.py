"""Tensors that share the memory of an array or a buffer, which is the host's whatever the default device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import AT_LEAST_1, CPU
from devfix.analysis.domain.values import TRUE, Array, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.arrays.numpy_types import settled
from devfix.analysis.torch_model.tensors import entry_dtypes
from devfix.analysis.torch_model.tensors.arguments import dtype_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def from_numpy(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.from_numpy``: on the CPU whatever the default device (facts)."""
    given = site.value(0, "ndarray")
    data = without_none(given) if given is not None else None
    trail = (interp.site("numpy", site.node),)
    if isinstance(data, Array):
        entry_dtypes.note(interp, site.node, data.dtype)
        roots = (data.trail,) if data.trail else ()
        rank = AT_LEAST_1 if data.rank is None and not _may_be_number(data) else data.rank
        return Tensor(CPU, settled(data.dtype), rank, grad=False, leaf=True, trail=trail, roots=roots)
    # It takes no scalars of NumPy, and hardly anybody gives it an array without dimensions.
    return Tensor(CPU, rank=AT_LEAST_1, trail=trail, grad=False, leaf=True)


def from_buffer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.frombuffer``: the memory of a buffer, on the CPU whatever the default device, with the dtype that it is read as."""
    dtype = dtype_of(site.value(None, "dtype"))
    grad = site.value(None, "requires_grad") == TRUE
    return Tensor(CPU, dtype, 1, grad=grad, leaf=True, trail=(interp.site("numpy", site.node),))


def _may_be_number(array: Array) -> bool:
    """Whether an array may be without dimensions: most calls give a scalar then, which ``from_numpy`` does not take."""
    return not array.trail or any(_OF_NUMBER.search(site.text) for site in array.trail)


#: Calls that give arrays without dimensions.
_OF_NUMBER = re.compile(r"\b(as)?array\(|squeeze")
