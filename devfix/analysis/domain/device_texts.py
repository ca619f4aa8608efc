"""Device texts: which texts PyTorch refuses as the name of a device, and what was meant by them."""

from __future__ import annotations

import re
from functools import lru_cache

#: The types of devices that PyTorch knows by itself; an extension gives one of them another name, such as ``npu``.
TYPES = frozenset(
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia "
    "privateuseone".split()
)
#: What people call an accelerator in their own words, and in TensorFlow's.
_GPU = "gpu"
_WELL_FORMED = re.compile(r"([A-Za-z_]+)(?::(?:0|[1-9][0-9]*))?")
_MEANT = re.compile(r"/?(?:device:)?([a-z]+)(?:(?:\s*:\s*|[ ._-])?([0-9]+)|:)?")
#: PyTorch keeps the number of a device in a byte.
_MOST = 127


def is_refused(text: str) -> bool:
    """Whether PyTorch refuses a text wherever a device is asked for; a well-formed name may be that of an extension."""
    found = _WELL_FORMED.fullmatch(text)
    if found is None:
        return True
    name = found[1]
    return name not in TYPES and name.lower() in {*TYPES, _GPU}


def meant(text: str) -> str | None:
    """The device that a refused text stands for, such as ``cuda:0`` for ``cuda: 0``; None where that is not clear."""
    found = _MEANT.fullmatch(text.strip().lower())
    if found is None or found[1] not in {*TYPES, _GPU}:
        return None
    name = "cuda" if found[1] == _GPU else found[1]
    number = int(found[2]) if found[2] else None
    if number is None:
        return name
    return f"{name}:{number}" if number <= _MOST else None


def as_meant(text: str) -> str:
    """A text, or what was meant by it where PyTorch refuses it."""
    return (meant(text) or text) if is_refused(text) else text


@lru_cache(maxsize=1024)
def mended(text: str) -> str:
    """What was meant by a text that nothing else can be than a misspelt device; what is in capitals may be for people to read."""
    return text if _GPU in text or not text.islower() else as_meant(text)
