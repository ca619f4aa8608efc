"""Choosing a device: availability checks, ``torch.device``, and global defaults.

The program under analysis is the one in which an accelerator is present and chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.deciding.answers import truth
from devfix.analysis.domain.lattice import ACCELERATOR, CPU, UNKNOWN_DEVICE, UNKNOWN_INDEX, Device
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Obj,
    Value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.devices import device_settings, device_strings
from devfix.analysis.torch_model.devices.autocast import ON_HOST
from devfix.analysis.torch_model.tensors.arguments import device_of, dtype_of
from devfix.analysis.torch_model.tensors.legacy_types import type_named

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: What tells a process the GPUs that it may see.
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


def available(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.cuda.is_available()`` and its relatives: yes, unless the program itself has hidden what there is."""
    interp.recorder.conditional = True
    return FALSE if interp.state.hidden else TRUE


def set_environment(interp: Interpreter, key: Value, value: Value) -> None:
    """``os.environ[key] = value``; a process that is to see no GPU has none, whatever the machine has."""
    if isinstance(key, Const) and key.value in _VISIBLE and isinstance(value, Const):
        interp.state.hidden = value.value in ("", "-1")


def device(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.device(...)``."""
    value = site.value(0, "device", "type")
    mps = isinstance(value, Const) and isinstance(value.value, str) and value.value.startswith("mps")
    if device_settings.is_setting(site.get(0, "device", "type")):
        return DeviceValue(ACCELERATOR)
    found = device_strings.asked(interp, site, 0, "device", "type")
    return DeviceValue(_numbered(found or UNKNOWN_DEVICE, site.value(1, "index")), mps=mps)


def _numbered(kind: Device, number: Value | None) -> Device:
    """``torch.device("cuda", 1)``."""
    if not kind.is_accelerator or number in (None, NONE):
        return kind
    named = device_of(number)
    return named if named is not None and named.is_accelerator else Device("accelerator", UNKNOWN_INDEX)


def accelerator(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.accelerator.current_accelerator()``."""
    return DeviceValue(ACCELERATOR)


def set_default_device(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.set_default_device(d)``: factories follow it from here on."""
    found = device_strings.asked(interp, site, 0, "device")
    interp.state.default_device = DeviceValue(found) if found is not None else None
    interp.recorder.remarked.add(interp.site("default", site.node))
    interp.recorder.accelerated = True
    return NONE


def get_default_device(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.get_default_device()``, which knows nothing of a type chosen by ``set_default_tensor_type``."""
    if interp.library.default_type:
        return DeviceValue(UNKNOWN_DEVICE)
    return interp.state.default_device or DeviceValue(CPU)


def set_default_dtype(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.set_default_dtype(d)``: how wide floats are is not judged any more."""
    value = site.value(0, "d")
    interp.library.entangled = True
    interp.library.default_floats &= value is not None and dtype_of(value) == "float32"
    return NONE


def some_dtype(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.get_default_dtype()``, ``torch.result_type(a, b)``: a dtype, so whoever casts to it chooses no device."""
    return DTypeValue(None)


def set_default_tensor_type(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.set_default_tensor_type("torch.cuda.FloatTensor")``; a type of the CPU chooses a dtype and no device."""
    value = site.value(0, "t")
    text = value.value if isinstance(value, Const) else value.name if isinstance(value, External) else ""
    found = type_named(str(text))
    interp.library.entangled = True
    if found is not None:
        interp.library.default_floats &= found[0] == "float32"
        interp.library.default_type = True
        interp.recorder.remarked.add(interp.site("default", site.node))
        interp.state.default_device = DeviceValue(found[1])
        interp.recorder.accelerated |= found[1].is_accelerator
    return NONE


def count(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.cuda.device_count()``: there is one, unless the program itself has hidden it."""
    return Const(0 if interp.state.hidden else 1)


#: The class of autocast blocks.
_AUTOCAST = External("torch.autocast")


def autocast(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.autocast(...)`` as a context manager."""
    kind = site.value(0, "device_type")
    backend = kind.value if isinstance(kind, Const) and isinstance(kind.value, str) else ""
    return _autocast(interp, backend, site.value(1, "dtype"), site.value(2, "enabled"))


def autocast_of_backend(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.cuda.amp.autocast(...)``, which asks for no type of device: whether it is enabled comes first."""
    backend = name.split(".")[1]
    return _autocast(interp, backend, site.value(1, "dtype"), site.value(0, "enabled"))


def _autocast(interp: Interpreter, backend: str, dtype: Value | None, enabled: Value | None) -> Value:
    chosen = dtype_of(dtype) if dtype is not None else _AUTOCAST_DTYPES.get(backend)
    if backend == "cpu":  # tensors on an accelerator stay what they are
        chosen = ON_HOST if chosen == "bfloat16" else None
    return block_of_autocast(interp, chosen, enabled=truth(interp, enabled or TRUE) is not False)


def block_of_autocast(interp: Interpreter, precision: str | None, *, enabled: bool = True) -> Value:
    """A context manager under which autocast computes in a precision, or not at all."""
    facts: dict[str, Value] = {"precision": Const(precision or "?")}
    if not enabled:
        facts["disabled"] = TRUE
    return interp.new(Obj("external", _AUTOCAST, facts=facts))


def is_autocast(interp: Interpreter, value: Value) -> bool:
    """Whether a value is an autocast block."""
    obj = interp.obj_of(value)
    return obj is not None and obj.cls == _AUTOCAST


#: What autocast computes in, by the type of device it is for.
_AUTOCAST_DTYPES = {"cuda": "float16", "cpu": "bfloat16"}


def raises(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``pytest.raises``: errors inside are expected."""
    return interp.new(Obj("external", External("pytest.raises")))


def suppress(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``contextlib.suppress``: where it takes what PyTorch raises, errors inside are expected."""
    named = {arg.value.name.rpartition(".")[2] for arg in site.args if isinstance(arg.value, External)}
    return raises(interp, name, site) if named & _RAISED else UNKNOWN


#: What mismatches raise, and what that is a kind of.
_RAISED = frozenset({"RuntimeError", "TypeError", "ValueError", "Exception", "BaseException"})


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(
        (
            "torch.cuda.is_available",
            "torch.backends.mps.is_available",
            "torch.backends.mps.is_built",
            "torch.mps.is_available",
            "torch.xpu.is_available",
            "torch.accelerator.is_available",
            "torch.cuda.is_initialized",
        ),
        available,
    ),
    "torch.device": device,
    "torch.accelerator.current_accelerator": accelerator,
    "torch.cuda.current_device": accelerator,
    "torch.set_default_device": set_default_device,
    "torch.get_default_device": get_default_device,
    "torch.set_default_dtype": set_default_dtype,
    **dict.fromkeys(("torch.get_default_dtype", "torch.result_type", "torch.promote_types"), some_dtype),
    "torch.set_default_tensor_type": set_default_tensor_type,
    "torch.cuda.device_count": count,
    _AUTOCAST.name: autocast,
    **dict.fromkeys(("torch.cuda.amp.autocast", "torch.cpu.amp.autocast"), autocast_of_backend),
    "pytest.raises": raises,
    "contextlib.suppress": suppress,
}
