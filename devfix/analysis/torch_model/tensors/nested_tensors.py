"""Nested tensors: several of different lengths as one, which computes where it is, and what fills them up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, UNKNOWN, Tensor, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.devices import device_strings
from devfix.analysis.torch_model.tensors import functional, operations
from devfix.analysis.torch_model.tensors.arguments import dtype_of
from devfix.analysis.torch_model.tensors.specs import OPS

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.nested.nested_tensor(rows, device=device)``: on the device that is told, else where the first row is."""
    rows = functional.pad_sequence(interp, "nested_tensor", site)
    if not isinstance(rows, Tensor) or site.open:
        return UNKNOWN
    told, asked = site.keywords.get("dtype"), device_strings.asked(interp, site, None, "device")
    if asked is None:
        operations.joined(interp, name, OPS["stack"], site)  # an H200 takes no rows of another place
    dtype = rows.dtype if told is None or told.value == NONE else dtype_of(told.value)
    return replace(rows, device=asked or rows.device, dtype=dtype, rank=None, split=None)


def fill_up(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.nested.to_padded_tensor(nested, 0.0)``: one tensor in its place."""
    nested = without_none(site.value(0, "input") or UNKNOWN)
    if not isinstance(nested, Tensor):
        return UNKNOWN
    return operations.derived(interp, [nested], site, nested.dtype, None)


HANDLERS: dict[str, Callable[..., Value]] = {
    "torch.nested.nested_tensor": make,
    "torch.nested.as_nested_tensor": make,
    "torch.nested.to_padded_tensor": fill_up,
}
