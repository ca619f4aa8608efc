"""Reading the arguments of torch calls: devices, dtypes, sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING, TypeVar

from devfix.analysis.domain import device_texts
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import (
    ACCELERATOR,
    AT_LEAST_1,
    CPU,
    DTYPE_ALIASES,
    NAMED_DTYPES,
    UNKNOWN_DEVICE,
    UNKNOWN_INDEX,
    Device,
    parse_device,
    promote,
    same_as,
)
from devfix.analysis.domain.number_types import exact_type
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.language.iteration import exact_items, followed_items
from devfix.analysis.record.trails import Trail
from devfix.analysis.text import counts
from devfix.analysis.torch_model.arrays.data_types import of_data
from devfix.analysis.torch_model.arrays.numpy_types import settled
from devfix.analysis.torch_model.devices import device_settings
from devfix.analysis.torch_model.loading import batch_mates

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_Found = TypeVar("_Found", int, str)


def device_of(value: Value | None) -> Device | None:
    """The device that an argument names; None when it leaves the choice open (absent or None)."""
    if value is None or value == NONE:
        return None
    value = _without_collections(without_none(value))
    if isinstance(value, DeviceValue):
        return value.device
    if isinstance(value, Const):
        if isinstance(value.value, str):
            return parse_device(device_texts.as_meant(value.value))
        if isinstance(value.value, int) and not isinstance(value.value, bool):
            return Device("accelerator", str(value.value))
    if is_shown_device(value) or (isinstance(value, Scalar) and value.type == "int"):
        return Device("accelerator", _usual_number(value))
    if (
        isinstance(value, Scalar)
        and isinstance(value.usual, str)
        and parse_device(value.usual).is_accelerator
    ):
        return ACCELERATOR
    if isinstance(value, Unknown) and value.token and not batch_mates.is_one(value):
        return ACCELERATOR if device_settings.is_device(value) else same_as(value.token)
    return UNKNOWN_DEVICE


def _usual_number(value: Value) -> str:
    """The number of an accelerator where an option names it that usually is another one than the first."""
    usual = value.usual if isinstance(value, Scalar) else None
    named = isinstance(usual, int) and not isinstance(usual, bool) and usual > 0
    return str(usual) if named else UNKNOWN_INDEX


def is_shown_device(value: Value) -> bool:
    """Whether a value is the text of an accelerator of which no more than the beginning is known."""
    return isinstance(value, Scalar) and value.type == "str" and value.ends in _SHOWN


#: The ends of the text of an accelerator.
_SHOWN = (("cuda", ""), ("cuda:", ""))


def _without_collections(value: Value) -> Value:
    """What names a device of what may also be a list of them, say: with that the call would fail."""
    if not isinstance(value, Union):
        return value
    held = [each for each in value.members if not isinstance(each, (Ref, Sequence, TupleValue))]
    return held[0] if len(held) == 1 else value


def is_followed(value: Value | None) -> bool:
    """Whether a device was not chosen, but read from a tensor."""
    return isinstance(value, DeviceValue) and value.followed


def roots_followed(value: Value | None) -> tuple[Trail, ...]:
    """The trails of the tensor on the CPU that a device was read from."""
    return value.roots if isinstance(value, DeviceValue) else ()


def with_choices(site: CallSite) -> CallSite:
    """The call with what ``**kwargs`` of unknown content may say: any device and any dtype."""
    return replace(site, keywords={"device": Arg(UNKNOWN), "dtype": Arg(UNKNOWN)} | site.keywords)


def names_host(value: Value | None) -> bool:
    """Whether a value says that something is to be on the CPU."""
    if isinstance(value, DeviceValue):
        return value.device == CPU
    return isinstance(value, Const) and value.value == "cpu"


def default_device(interp: Interpreter) -> Device:
    """Where a factory call without ``device=`` puts its result."""
    return device_of(interp.state.default_device) or CPU


def dtype_of(value: Value | None) -> str | None:
    """The dtype that an argument names, or None."""
    if isinstance(value, DTypeValue):
        return value.name
    if isinstance(value, Const) and isinstance(value.value, str):
        return _dtype_name(value.value)
    if isinstance(value, External):
        package, _, last = value.name.rpartition(".")
        if package == "builtins":
            return {"float": "float64", "int": "int64", "bool": "bool"}.get(last)
        if package == "numpy":
            return {"float_": "float64", "bool_": "bool", "double": "float64"}.get(last, _dtype_name(last))
    return None


def asked_dtype(site: CallSite) -> Value | None:
    """The dtype that a call asks for: under its name, or behind a dimension, as in ``torch.softmax(x, 1, torch.float32)``."""
    if "dtype" in site.keywords:
        return site.keywords["dtype"].value
    behind = [arg.value for arg in site.args[2:]]
    return next(
        (value for value in behind if any(isinstance(each, DTypeValue) for each in members(value))), None
    )


def _dtype_name(text: str) -> str | None:
    """``"f4"``, ``"<f8"``, ``"float32"`` and torch's names."""
    text = text.lstrip("<>=|")
    short = {"f4": "float32", "f8": "float64", "f2": "float16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16",
             "f": "float32", "d": "float64", "float": "float64", "int": "int64", "i": "int32", "bool": "bool"}  # fmt: skip
    if text in short:
        return short[text]
    text = DTYPE_ALIASES.get(text, text)
    return text if text in NAMED_DTYPES else None


def sizes_of(site: CallSite) -> list[Arg]:
    """How large something is asked for: one size after the other, or all of them under their name."""
    return [site.keywords["size"]] if "size" in site.keywords else list(site.args)


def size_rank(interp: Interpreter, sizes: list[Arg]) -> int | None:
    """The rank of a tensor made with these size arguments."""
    if len(sizes) == 1:
        value = without_none(sizes[0].value)
        if scalar_type(value) == "int":
            return 1
        items = exact_items(interp, value)
        if items is not None:
            return len(items)
        kept = interp.obj_of(value)
        listed = kept is not None and kept.kind == "list" and (kept.items or kept.element is not None)
        counted = isinstance(value, Unknown) and counts.are_told(sizes[0].node)
        return AT_LEAST_1 if listed or counted or isinstance(value, Sequence) else None
    return len(sizes) if sizes else 0


def nesting(interp: Interpreter, value: Value, around: tuple[Value, ...] = ()) -> int | None:
    """How deeply lists are nested in the data of ``torch.tensor``: its rank. It is in the lists ``around``."""
    value = without_none(value)
    if value in around:
        return None  # a list that holds itself, of which no tensor is made
    if isinstance(value, Union):
        return _same(nesting(interp, each, around) for each in value.members)
    if scalar_type(value) in ("int", "float", "bool"):
        return 0
    if isinstance(value, (Tensor, Array)):
        return value.rank
    items = followed_items(interp, value)
    if items:
        inner = nesting(interp, items[0], (*around, value))
        return AT_LEAST_1 if inner is None or inner < 0 else inner + 1
    if items is not None:
        return 1
    obj = interp.obj_of(value)
    element = value.element if isinstance(value, Sequence) else None
    if obj is not None and obj.kind == "list" and not obj.items:
        element = obj.element
    if element is not None:
        inner = nesting(interp, element, (*around, value))
        return AT_LEAST_1 if inner is None or inner < 0 else inner + 1
    return AT_LEAST_1 if obj is not None and obj.kind == "list" else None


def is_empty_list(site: CallSite) -> bool:
    """Whether the data of a tensor is ``[]``: one that is there to be filled later."""
    data = site.args[0].node if site.args else None
    return isinstance(data, (ast.List, ast.Tuple)) and not data.elts


def data_dtype(interp: Interpreter, value: Value, around: tuple[Value, ...] = ()) -> str | None:
    """The dtype that ``torch.tensor`` gives to Python or NumPy data, which is in the lists ``around``."""
    value = without_none(value)
    if value in around:
        return None
    if isinstance(value, Union):
        return _same(data_dtype(interp, each, around) for each in value.members)
    kind = exact_type(value)
    if kind is not None:
        return {"bool": "bool", "int": "int64", "float": "float32"}.get(kind)
    if isinstance(value, Array):
        return settled(value.dtype)
    if isinstance(value, Tensor):
        return value.dtype
    items = followed_items(interp, value)
    if items is None:
        obj = interp.obj_of(value)
        if obj is not None and obj.kind == "external":
            return settled(of_data(interp, value))
        element = value.element if isinstance(value, Sequence) else obj.element if obj else None
        items = (element,) if element is not None else ()
    found = {data_dtype(interp, item, (*around, value)) for item in items}
    # Each number of NumPy's has its own dtype among the others, as in a sum of tensors of one rank.
    return reduce(_together, found) if found else None


def _same(found: Iterable[_Found | None]) -> _Found | None:
    """What is found of each of several values, one of which is there; None where it differs."""
    each = set(found)
    return each.pop() if len(each) == 1 else None


def _together(a: str | None, b: str | None) -> str | None:
    return promote((a, 1), (b, 1)) if a is not None and b is not None else None


def accelerator_of(site: CallSite) -> Device:
    """The device of ``x.cuda(index)``."""
    value = site.value(0, "device")
    if value is None or value == NONE:
        return ACCELERATOR
    found = device_of(value)
    if found is None or not found.is_known or found.kind == "same-as":
        return ACCELERATOR
    return found
