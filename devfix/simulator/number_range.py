"""Numbers beyond a dtype: what CUDA refuses where the CPU does not, and the other way round (asked of an H100)."""

from __future__ import annotations

import math

import torch

from .operands import RefusedError
from .refusals import Refusal

#: What CUDA computes with a number of any size, while the CPU converts the number to the dtype first.
_OF_ANY_SIZE = frozenset(
    """
    aten::clamp aten::clamp_ aten::clamp_min aten::clamp_min_ aten::clamp_max aten::clamp_max_
    aten::hardtanh aten::hardtanh_ aten::add aten::add_ aten::sub aten::sub_
    """.split()
)
#: What C++ calls the dtypes in its message.
_CALLED = {torch.float16: "c10::Half", torch.bfloat16: "c10::BFloat16", torch.float32: "float"}


def fits_on_cuda(name: str, said: str) -> bool:
    """Whether an operator that the CPU refused for the size of a number goes on with it on CUDA."""
    return name in _OF_ANY_SIZE and "without overflow" in said


def refuse_number(number: float, dtype: torch.dtype) -> None:
    """Refuse a number that a float dtype cannot hold; infinities and NaN are numbers of each."""
    called = _CALLED.get(dtype)
    if called is not None and math.isfinite(number) and abs(number) > torch.finfo(dtype).max:
        text = f"value cannot be converted to type {called} without overflow"
        raise RefusedError(Refusal(text, "value-range"))
