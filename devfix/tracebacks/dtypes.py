"""Dtypes: the many names that messages have for them, and for types that name a device too."""

from __future__ import annotations

import re

#: By the name in a message, without ``c10::`` and the like, in lower case.
_NAMES = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
    "long": "int64", "long int": "int64", "int": "int32", "short": "int16", "short int": "int16",
    "byte": "uint8", "unsigned char": "uint8", "char": "int8", "signed char": "int8", "bool": "bool",
    "complexfloat": "complex64", "complexdouble": "complex128", "complexhalf": "complex32",
    "long long": "int64",
}  # fmt: skip
_KNOWN = frozenset([*_NAMES.values(), "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"])
_TENSOR = re.compile(
    r"(?:Variable\[)?(?P<backend>CPU|CUDA|MPS|XPU|HIP)(?P<scalar>\w+?)(?:Type|Tensor)\]?$"
    r"|(?:torch\.)?(?:(?P<device>cuda|mps|xpu|hip)\.)?(?:sparse\.)?(?P<dtype>[A-Z]\w*?)Tensor$"
    r"|(?P<onnx>MPS|XPU)?(?P<plain>Float|Double|Half|BFloat16|Long|Int)Type$"
)
#: The names in PyTorch's own texts for a dtype.
SCALARS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "uint8": "Byte", "bool": "Bool",
}  # fmt: skip
FLOATS = ("float16", "bfloat16", "float32", "float64")


def dtype_name(text: str) -> str:
    """``float64`` of ``Double``, ``double``, ``torch.float64``, ``c10::Half``...; "" when it is none."""
    name = text.removeprefix("struct ")
    name = re.split(r"::|\.", name)[-1]
    if name in _KNOWN:
        return name
    known = tensor_type(text)
    return _NAMES.get(name.lower(), known[1] if known is not None else "")


def tensor_type(text: str) -> tuple[str, str] | None:
    """Device and dtype of ``torch.cuda.FloatTensor`` or ``CPUFloatType``; None for anything else."""
    found = _TENSOR.match(text.strip())
    if found is None:
        return None
    device = found["device"] or found["backend"] or found["onnx"] or "cpu"
    scalar = found["dtype"] or found["scalar"] or found["plain"] or ""
    dtype = _NAMES.get(scalar.lower(), "float32" if not scalar else "")
    return (device.lower(), dtype) if dtype else None
