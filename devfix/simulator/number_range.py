"""Numbers beyond a dtype: what CUDA refuses where the CPU does not, and the other way round (asked of an H100)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import torch

from .operands import RefusedError
from .refusals import Refusal

_SAID = "without overflow"
#: What CUDA computes with a number of any size, while the CPU converts the number to the dtype first.
_OF_ANY_SIZE = frozenset(
    """
    aten::clamp aten::clamp_ aten::clamp_min aten::clamp_min_ aten::clamp_max aten::clamp_max_
    aten::hardtanh aten::hardtanh_ aten::add aten::add_ aten::sub aten::sub_
    """.split()
)
#: What C++ calls the dtypes in its message.
_CALLED = {
    torch.float16: "c10::Half", torch.bfloat16: "c10::BFloat16", torch.float32: "float",
    torch.int8: "int8_t", torch.uint8: "uint8_t", torch.int16: "int16_t", torch.int32: "int",
}  # fmt: skip
_OF_TYPE = re.compile(r"to type (\S+) without overflow")
_FACTORIES = {"aten::full": 1, "aten::scalar_tensor": 0}


def fits_on_cuda(name: str, said: str) -> bool:
    """Whether an operator that the CPU refused for the size of a number goes on with it on CUDA."""
    return name in _OF_ANY_SIZE and _SAID in said


def refuse_number(number: float, dtype: torch.dtype, blamed: tuple[torch.Tensor, ...] = ()) -> None:
    """Raise RefusedError for a number that a dtype cannot hold; infinities and NaN are numbers of the floats."""
    called = _CALLED.get(dtype)
    if called is not None and _end(number, dtype) is not None:
        text = f"value cannot be converted to type {called} without overflow"
        raise RefusedError(Refusal(text, "value-range", blamed=blamed, wanted=_end(number, dtype)))


def made(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Optional[Refusal]:
    """Why a factory on CUDA is refused: the CPU writes the one number of a tensor without dimensions unseen."""
    position, dtype = _FACTORIES.get(name), kwargs.get("dtype")
    if position is None or dtype is None or not isinstance(args[position], (int, float)):
        return None
    try:
        refuse_number(args[position], dtype)
    except RefusedError as refused:
        return refused.refusal
    return None


def _end(number: float, dtype: torch.dtype) -> Optional[str]:
    """The end of the range of a dtype that a number is beyond ("min", "max"); None where the dtype holds it."""
    if dtype.is_floating_point:
        beyond = math.isfinite(number) and abs(number) > torch.finfo(dtype).max
    else:
        limits = torch.iinfo(dtype)
        # What is below zero is wrapped around once (c10/util/TypeCast.h).
        beyond = not (limits.min or -limits.max) <= number <= limits.max
    if not beyond:
        return None
    return "min" if number < 0 else "max"


class Limited(NamedTuple):
    """A call with numbers that its dtype holds, and the end of the range that they were beyond."""

    args: list[Any]
    kwargs: dict[str, Any]
    end: str


def limited(args: Sequence[Any], kwargs: Mapping[str, Any], said: str) -> Optional[Limited]:
    """The call that was refused for a number, with the nearest that its dtype holds; None where no number is."""
    found = _OF_TYPE.search(said)
    dtype = next((each for each, called in _CALLED.items() if found and called == found[1]), None)
    if dtype is None:
        return None
    ends: list[str] = []

    def nearest(value: Any) -> Any:
        end = _end(value, dtype) if type(value) in (int, float) else None
        if end is None:
            return value
        ends.append(end)
        return getattr(torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype), end)

    taken, named = [nearest(value) for value in args], {name: nearest(kwargs[name]) for name in kwargs}
    return Limited(taken, named, ends[0]) if ends else None
