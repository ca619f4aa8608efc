"""Readings: what a message says, once the family of texts it belongs to is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from devfix.tracebacks.dtypes import dtype_name, tensor_type

#: A longer message is cut; what matters stands in the beginning.
MAX_MESSAGE = 4_000

#: What stands for a device and for a dtype in the patterns of families.
_TOKENS = {
    "d": r"[A-Za-z]\w{0,20}(?::\d{1,3})?",
    "t": r"(?:struct )?(?:\w{1,20}(?:::|\.)){0,3}\w{1,30}(?: (?:int|char|short))?",
    "n": r"\b[A-Za-z_]\w{0,40}",
}
_TOKEN = re.compile(r"<([dtn]):(\w+)>")


@dataclass(frozen=True, slots=True)
class Family:
    """Messages that say the same: the pattern that finds them, and what they mean.

    ``kind`` is one of ``devfix.analysis.record.facts``, ``absent-device`` (no such device on this machine), or
    "" for what is no mismatch at all. In ``pattern`` ``<d:x>``, ``<t:x>`` and ``<n:x>`` stand for a
    device, a dtype and a name. A group ``at_input`` is the device of the input, ``is_input`` its dtype,
    ``as_input`` its tensor type; ``argument`` is the operand that PyTorch names, which is ``on`` one
    device while the ``others`` are on another (or ``found`` in one dtype where another is ``wanted``).
    ``around`` must stand in a message that wraps this one. ``wraps`` says that the text tells more
    than the error it was raised from.
    """

    name: str
    kind: str
    pattern: str
    says: str = ""
    advice: str = ""
    rules: tuple[str, ...] = ()
    versions: str = ""
    operator: str = ""
    argument: str = ""
    near: str = ""
    around: str = ""
    wanted: str = ""
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What one message says; names of operands are those of PyTorch's own text."""

    family: Family
    text: str
    kind: str
    operator: str = ""
    argument: str = ""
    on: str = ""
    others: str = ""
    devices: Mapping[str, str] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    wanted: str = ""
    found: str = ""
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_devices(self) -> list[str]:
        """Every device the text names, each once."""
        named = [self.on, self.others, self.words.get("first", ""), self.words.get("second", "")]
        return list(dict.fromkeys(name for name in (*named, *self.devices.values()) if name))


def folded(message: str) -> str:
    """A message on one line, however it was wrapped."""
    return " ".join(message[:MAX_MESSAGE].split())


def recognise(message: str, families: Iterable[Family], around: str = "") -> Reading | None:
    """The reading of the first family that knows the message; ``around`` are messages that wrap it."""
    text = folded(message)
    if not text:
        return None
    for family in families:
        if family.near not in text or (family.around and family.around not in around):
            continue
        found = _pattern(family.pattern).search(text)
        if found is not None:
            return _reading(family, found, text)
    return None


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    seen: Counter[str] = Counter()

    def group(found: re.Match[str]) -> str:
        # Alternatives may name the same operand; Python wants each name once.
        seen[found[2]] += 1
        return f"(?P<{found[2]}__{seen[found[2]]}>{_TOKENS[found[1]]})"

    return re.compile(_TOKEN.sub(group, pattern))


def _reading(family: Family, found: re.Match[str], text: str) -> Reading:
    words = {name.partition("__")[0]: value for name, value in found.groupdict().items() if value}
    devices, dtypes = _operands(words)
    named = _Named(words, family, devices, dtypes)
    kind = family.kind
    differing = len({*devices.values(), named.on, named.others} - {""}) > 1
    if kind == "device" and not differing and (len(set(dtypes.values())) > 1 or named.wanted != named.found):
        kind = "dtype"  # the text for types that differ is one for both
    return Reading(
        family,
        text,
        kind,
        operator_name(words.get("operator", words.get("operator2", family.operator))),
        words.get("argument", family.argument),
        named.on,
        named.others,
        devices,
        dtypes,
        named.wanted,
        named.found,
        {**words, **{key: device_name(words[key]) for key in ("first", "second") if key in words}},
    )


class _Named:
    """What a text says of the one operand that it names, and of the others."""

    def __init__(
        self, words: Mapping[str, str], family: Family, devices: dict[str, str], dtypes: dict[str, str]
    ) -> None:
        odd = (devices.pop("argument", ""), dtypes.pop("argument", ""))
        rest = (devices.pop("others", ""), dtypes.pop("others", ""))
        devices.pop("found", "")
        found = dtypes.pop("found", "") or odd[1] or dtype_name(words.get("found", ""))
        self.on = odd[0] or device_name(words.get("on", ""))
        self.others = rest[0] or device_name(words.get("others", ""))
        self.found = found
        self.wanted = rest[1] or dtype_name(words.get("wanted", family.wanted))


def _operands(words: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Devices and dtypes by operand."""
    devices = {name[3:]: device_name(value) for name, value in words.items() if name.startswith("at_")}
    dtypes = {name[3:]: dtype_name(value) for name, value in words.items() if name.startswith("is_")}
    for name, value in words.items():
        if name.startswith("as_"):
            known = tensor_type(value)
            dtypes[name[3:]] = known[1] if known is not None else dtype_name(value)
            devices.update({name[3:]: known[0]} if known is not None else {})
    return devices, dtypes


def device_name(text: str) -> str:
    """A device as devfix writes it: ``cpu``, ``cuda``, ``cuda:0``; GPU and CUDA are the same word."""
    name = text.lower()
    if name.isdigit():
        return f"cuda:{name}"
    return {"gpu": "cuda", "hip": "cuda", "privateuseone": "privateuse1"}.get(name, name)


def is_host(device: str) -> bool:
    """Whether a device is the CPU."""
    return device == "cpu"


def is_accelerator(device: str) -> bool:
    """Whether a device is one of an accelerator."""
    return bool(device) and device.partition(":")[0] not in ("cpu", "meta")


_BACKENDS = re.compile(
    r"^_?wrapper_*|^(?:CUDA|SparseCUDA|SparseCsrCUDA|NestedTensorCUDA|QuantizedCUDA|XPU|SparseXPU|MPS|SparseMPS|HIP|CPU|Meta|Sparse)_"
)


def operator_name(text: str) -> str:
    """``addmm`` of ``wrapper_CUDA_addmm``, ``aten::addmm`` and ``_th_addmm``."""
    name = text.removeprefix("aten::").removeprefix("aten.")
    sparse = "Sparse" in name
    for _ in range(3):
        name = _BACKENDS.sub("", name, count=1)
    for prefix in ("_th_", "_thnn_", "_cuda_", "th_"):
        name = name.removeprefix(prefix)
    name = name.strip("_() ")
    return f"sparse.{name}" if sparse and name else name
