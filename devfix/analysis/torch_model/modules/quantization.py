"""Quantization: the layers that it makes of a module compute on the CPU alone, and so do those that it makes them of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Value
from devfix.analysis.language import unknown_code
from devfix.analysis.language.frames import CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PACKAGES = ("torch.quantization", "torch.ao.quantization")
_FUNCTIONS = (
    "quantize_dynamic", "quantize", "quantize_qat", "convert",
    "quantize_dynamic_jit", "quantize_jit", "convert_dynamic_jit", "convert_jit",
)  # fmt: skip
_OF_GRAPHS = ("torch.quantization.quantize_fx", "torch.ao.quantization.quantize_fx")


def _quantized(interp: Interpreter, _name: str, site: CallSite) -> Value:
    """``quantize_dynamic(net, {nn.Linear})`` on an H200: "Could not run 'quantized::linear_dynamic' with arguments from the 'CUDA' backend"."""
    interp.recorder.confined |= interp.is_script
    return unknown_code.call(interp, site)


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(
    [
        *(f"{package}.{function}" for package in _PACKAGES for function in _FUNCTIONS),
        *(f"{package}.convert_fx" for package in _OF_GRAPHS),
    ],
    _quantized,
)
