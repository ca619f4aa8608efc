"""The lattices of the analysis: devices, dtypes and ranks, each with an unknown top.

``join`` is the least upper bound. Two different facts always join to unknown: devfix would rather
miss a mismatch than report one that may not happen.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from devfix.analysis.domain import device_texts


class Device(NamedTuple):
    """An abstract device.

    ``kind`` is ``cpu``, ``accelerator`` (``label`` is its index, "0" for the default one),
    ``same-as`` (``label`` is a token: the device of some value nobody here decides), ``meta`` or
    ``unknown``. ``cuda``, ``cuda:0`` and ``torch.device("cuda")`` are one device in a program that
    uses one accelerator.
    """

    kind: str
    label: str = ""

    @property
    def is_known(self) -> bool:
        """Whether anything at all is known about the device."""
        return self.kind != "unknown"

    @property
    def is_accelerator(self) -> bool:
        """Whether this is an accelerator for certain."""
        return self.kind == "accelerator"

    def __str__(self) -> str:
        if self.kind == "accelerator":
            return "cuda" if self.label == "0" else f"cuda:{self.label}"
        return self.kind


#: The label of an accelerator of which it is not known which one it is.
UNKNOWN_INDEX = "?"

CPU = Device("cpu")
ACCELERATOR = Device("accelerator", "0")
META = Device("meta")
UNKNOWN_DEVICE = Device("unknown")

#: Backend names that select an accelerator.
BACKENDS = frozenset({"cuda", "mps", "xpu", "npu", "mlu", "musa", "hip"})


#: Kinds of devices that work in a way of their own: a program that asks for one of them goes on as it does without.
#: An HPU also computes with operands that are still on the host.
NOT_HAD = frozenset({"xla", "ipu", "vulkan", "hpu"})


def same_as(token: str) -> Device:
    """The device of the value that ``token`` names, whatever it is."""
    return Device("same-as", token)


@lru_cache(maxsize=4096)
def parse_device(text: str) -> Device:
    """The device that ``torch.device(text)`` names, or would if it was spelt right; unknown when PyTorch would refuse other texts."""
    backend, _, index = device_texts.mended(text).partition(":")
    if backend == "cpu":
        return CPU
    if backend == "meta":
        return META
    if backend in BACKENDS:
        return Device("accelerator", index or "0")
    return UNKNOWN_DEVICE


def join_devices(a: Device, b: Device) -> Device:
    """The least upper bound of two devices."""
    if a == b:
        return a
    return Device("accelerator", UNKNOWN_INDEX) if a.is_accelerator and b.is_accelerator else UNKNOWN_DEVICE


def join_dtypes(a: str | None, b: str | None) -> str | None:
    """The least upper bound of two dtypes; None is unknown."""
    return a if a == b else None


#: A rank is the number of dimensions, ``AT_LEAST_1`` for "a tensor, not a scalar", or None.
AT_LEAST_1 = -1


def join_ranks(a: int | None, b: int | None) -> int | None:
    """The least upper bound of two ranks."""
    if a == b:
        return a
    if a is None or b is None or a == 0 or b == 0:
        return None
    return AT_LEAST_1


def rank_of_broadcast(ranks: list[int | None]) -> int | None:
    """The rank of a broadcast result: the largest, as far as it is known."""
    if any(rank is None for rank in ranks):
        return AT_LEAST_1 if any(rank not in (None, 0) for rank in ranks) else None
    if AT_LEAST_1 in ranks:
        return AT_LEAST_1
    return max((rank for rank in ranks if rank is not None), default=0)


def rank_of_stack(rank: int | None) -> int:
    """The rank of what tensors of this rank are put together to along a dimension of their own."""
    return rank + 1 if rank is not None and rank >= 0 else AT_LEAST_1


def rank_of_product(ranks: list[int | None]) -> int | None:
    """The rank of ``a @ b``: vectors lose their one dimension."""
    if len(ranks) != 2:
        return None
    a, b = ranks
    if a is None or b is None or 0 in (a, b):
        return AT_LEAST_1 if max(a or 0, b or 0) > 1 else None
    if AT_LEAST_1 in (a, b):
        return AT_LEAST_1 if max(a, b) > 1 else None
    return max(a, b) - 1 if 1 in (a, b) and max(a, b) > 1 else 0 if a == b == 1 else max(a, b)


FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
COMPLEX = ("complex64", "complex128")
#: The dtype of complex numbers whose parts have this one.
COMPLEX_OF = {
    "float16": "complex32",
    "bfloat16": "complex64",
    "float32": "complex64",
    "float64": "complex128",
}
#: The dtype of the parts of complex numbers.
REAL_OF = {"complex64": "float32", "complex128": "float64"}

#: Other spellings of dtypes, in torch and NumPy.
DTYPE_ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
DTYPES = frozenset((*FLOATS, *INTEGERS, *COMPLEX, "bool"))
#: What tokens and pixels are stored in. PyTorch promotes them with no other integers, and few operations take them.
STORED_INTEGERS = ("uint16", "uint32", "uint64")
#: The dtypes that have a name in torch and in NumPy.
NAMED_DTYPES = frozenset((*DTYPES, *STORED_INTEGERS))


def floating(dtype: str | None) -> str | None:
    """The dtype of what functions like ``exp`` make of it: integers become the default float."""
    return dtype if dtype is None or dtype in FLOATS or dtype in COMPLEX_OF.values() else "float32"


def promote(a: tuple[str | None, int | None], b: tuple[str | None, int | None]) -> str | None:
    """The dtype of a pointwise result of two operands given as ``(dtype, rank)``.

    Follows torch.result_type: a 0-dim operand only decides when its category (bool < integer <
    floating < complex) is higher. Rank None may be 0-dim, so the answer may be unknown.
    """
    (da, ra), (db, rb) = a, b
    if da == db:
        return da
    if da not in DTYPES or db not in DTYPES:
        return None
    answers = {_promote(da, x, db, y) for x in _zero_dim(ra) for y in _zero_dim(rb)}
    return answers.pop() if len(answers) == 1 else None


def _zero_dim(rank: int | None) -> tuple[bool, ...]:
    """Whether a tensor of this rank is 0-dim: both are possible when nothing is known."""
    return (True, False) if rank is None else (rank == 0,)


def _promote(da: str, zero_a: bool, db: str, zero_b: bool) -> str:
    if zero_a == zero_b:
        return _promote_tensors(da, db)
    wide, narrow = (db, da) if zero_a else (da, db)
    if _category(narrow) <= _category(wide):
        return wide
    if wide in FLOATS:
        return COMPLEX_OF[wide]  # a 0-dim complex operand decides, but not how wide the result is
    return narrow


def _category(dtype: str) -> int:
    if dtype == "bool":
        return 0
    if dtype in INTEGERS:
        return 1
    return 2 if dtype in FLOATS else 3


def _promote_tensors(da: str, db: str) -> str:
    if {da, db} == {"float64", "complex64"}:
        return "complex128"
    if {da, db} == {"uint8", "int8"}:
        return "int16"
    if {da, db} == {"float16", "bfloat16"}:
        return "float32"
    return max(da, db, key=_ORDER.index)


_ORDER = ("bool", *INTEGERS, *FLOATS, *COMPLEX)
