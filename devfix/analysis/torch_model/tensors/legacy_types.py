"""Legacy types: ``torch.cuda.FloatTensor`` and the like, whose names say a device along with a dtype."""

from __future__ import annotations

from devfix.analysis.domain.lattice import ACCELERATOR, CPU, Device

#: The dtype that each name stands for.
CONSTRUCTORS = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "LongTensor": "int64",
    "IntTensor": "int32", "ShortTensor": "int16", "ByteTensor": "uint8", "CharTensor": "int8",
    "BoolTensor": "bool", "BFloat16Tensor": "bfloat16", "Tensor": "float32",
}  # fmt: skip


#: What ``x.type()`` calls a tensor by its dtype.
TYPE_NAMES = {dtype: name for name, dtype in CONSTRUCTORS.items() if name != "Tensor"}


def type_named(name: str) -> tuple[str, Device] | None:
    """The dtype and device of ``torch[.cuda].FloatTensor`` and the like, by canonical name."""
    package, _, last = name.rpartition(".")
    if last not in CONSTRUCTORS or package not in ("torch", "torch.cuda"):
        return None
    return CONSTRUCTORS[last], ACCELERATOR if package == "torch.cuda" else CPU
