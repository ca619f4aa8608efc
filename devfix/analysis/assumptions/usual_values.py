"""What a value is in a run that is given no options, where another path made something else of it."""

from __future__ import annotations

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.values import Array, Obj, Tensor, Union, Value, members


def like_usual(value: Value, usual: Value) -> Value:
    """A tensor with the dtype that it usually has, and on the accelerator where nobody knows where else it is.

    What is usually left on the CPU remembers that.
    """
    usual = next((member for member in members(usual) if type(member) is type(value)), usual)
    if isinstance(value, Array) and isinstance(usual, Array):
        return replace(value, dtype=usual.dtype)
    if not isinstance(value, Tensor) or not isinstance(usual, Tensor):
        return value
    device, split = value.device, value.split
    if not device.is_known and usual.device.is_accelerator and usual.split is None:
        device, split = usual.device, None
    if split is None and usual.device.kind == "cpu" and device.kind in ("accelerator", "unknown"):
        split = usual
    if value.dtype == usual.dtype and device == value.device and split is value.split:
        return value
    return replace(value, device=device, dtype=usual.dtype, typed=usual.typed, split=split)


def object_like_usual(obj: Obj, usual: Obj) -> Obj:
    """A heap object whose tensors have the dtypes and places that they usually have."""
    attrs = {
        name: like_usual(value, usual.attrs[name]) if name in usual.attrs else value
        for name, value in obj.attrs.items()
    }
    place = like_usual(obj.place, usual.place) if obj.place and usual.place else obj.place
    return replace(obj, attrs=attrs, place=place if isinstance(place, Tensor) else None)


def at_times(joined: Value) -> Value:
    """Of a tensor and a number that one run has in turn, the tensor: where the number does no harm, that fails."""
    if not isinstance(joined, Union) or len(joined.members) != 2:
        return joined
    tensor = next((each for each in joined.members if isinstance(each, Tensor)), None)
    if tensor is None or all(scalar_type(each) not in ("bool", "int", "float") for each in joined.members):
        return joined
    return replace(joined, usual=tensor)
