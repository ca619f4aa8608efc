"""Moves and casts: ``to``, ``cuda``, ``cpu``, ``type`` and the dtype methods, of tensors and modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import MOVED
from devfix.analysis.domain.lattice import ACCELERATOR, CPU, FLOATS, INTEGERS, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    NONE,
    TRUE,
    Array,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    Ref,
    Retargeting,
    Scalar,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    without_none,
)
from devfix.analysis.language import containers
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.record import notes
from devfix.analysis.record.trails import Trail, chain, dtype_trails, extend, of_cast, roots_of, roots_of_host
from devfix.analysis.reuse import reads
from devfix.analysis.text.syntax import spelt, walk
from devfix.analysis.torch_model.devices import device_strings, dispatching, followed, mps
from devfix.analysis.torch_model.modules import module_apply
from devfix.analysis.torch_model.tensors import leaves
from devfix.analysis.torch_model.tensors.arguments import (
    accelerator_of,
    device_of,
    dtype_of,
    is_followed,
    roots_followed,
)
from devfix.analysis.torch_model.tensors.legacy_types import TYPE_NAMES, type_named
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "long": "int64",
    "int": "int32", "short": "int16", "byte": "uint8", "char": "int8", "bool": "bool",
    "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
METHODS = frozenset({"to", "cuda", "cpu", "type", "xpu", "type_as", *CASTS})


@frozen
class Target:
    """Where a move goes: None leaves the device (or dtype) as it is; "?" is some other dtype."""

    device: Device | None = None
    dtype: str | None = None
    #: Whether somebody chose the device, and it is not just that of another tensor.
    chosen: bool = True
    #: The trails of the tensor on the CPU that is followed.
    roots: tuple[Trail, ...] = ()

    @property
    def known_dtype(self) -> str | None:
        """The dtype, where it is known which."""
        return None if self.dtype == "?" else self.dtype


def target_of(name: str, site: CallSite) -> Target:
    """What ``x.name(...)`` asks for."""
    if name == "cpu":
        return Target(CPU)
    if name == "xpu":
        return Target(ACCELERATOR)
    if name == "cuda":
        return Target(accelerator_of(site))
    if name in CASTS:
        return Target(None, CASTS[name])
    if name == "type":
        return _type_target(site)
    if name == "type_as":
        return _like(site.value(0, "other"))
    return _to_target(site)


def typed(interp: Interpreter, site: CallSite) -> Tensor | None:
    """``x.type(torch.FloatTensor)`` of whatever ``x`` is: a tensor on the CPU; None for any other call."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "type":
        return None
    target = _type_target(site)
    if target.device is None:
        return None
    return Tensor(target.device, target.known_dtype, trail=(interp.site("cast", site.node),))


def converted(interp: Interpreter, site: CallSite) -> Array | None:
    """``x.astype(np.float32)`` of whatever ``x`` is: an array, or a table that is one to PyTorch; None for other calls."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    dtype = (
        dtype_of(site.value(0, "dtype"))
        if isinstance(func, ast.Attribute) and func.attr == "astype"
        else None
    )
    return Array(dtype, None, (interp.site("cast", site.node),)) if dtype is not None else None


def _type_target(site: CallSite) -> Target:
    return _named_by(site.value(0, "dtype"))


def _named_by(value: Value | None) -> Target:
    """Where a type says that a tensor is, and of what dtype: one of several types says what all of them do."""
    if isinstance(value, Union):
        several = [_named_by(member) for member in value.members]
        devices, dtypes = {each.device for each in several}, {each.dtype for each in several}
        device = devices.pop() if len(devices) == 1 else UNKNOWN_DEVICE
        dtype = dtypes.pop() if len(dtypes) == 1 else "?"
        return Target(device, dtype, chosen=all(each.chosen for each in several))
    if isinstance(value, External):
        found = type_named(value.name)
        return Target(found[1], found[0]) if found is not None else Target()
    if isinstance(value, Const) and isinstance(value.value, str):
        found = type_named(value.value)
        return Target(found[1], found[0]) if found is not None else Target(None, "?")
    if value is None or value == NONE:
        return Target()
    # The name of a type, such as ``x.type()``, says where as well.
    anywhere = isinstance(value, (Unknown, Scalar))
    return Target(UNKNOWN_DEVICE if anywhere else None, dtype_of(value) or "?", chosen=False)


def _type_name(value: Tensor) -> Value:
    """``x.type()``: ``"torch.cuda.FloatTensor"`` says where a tensor is and what it holds."""
    last = TYPE_NAMES.get(value.dtype or "")
    if last is None or (value.device != CPU and not value.device.is_accelerator):
        return Scalar("str")
    return Const(f"torch.{last}" if value.device == CPU else f"torch.cuda.{last}")


def _like(value: Value | None) -> Target:
    if isinstance(value, Tensor):
        return Target(value.device, value.dtype or "?", chosen=False, roots=roots_of_host(value))
    return Target(UNKNOWN_DEVICE, "?", chosen=False)


def _to_target(site: CallSite) -> Target:
    device: Device | None = None
    dtype: str | None = None
    for arg in site.args:
        value = without_none(arg.value)
        if isinstance(value, Tensor):
            return _like(value)
        if isinstance(value, DTypeValue):
            dtype = value.name or "?"
        elif isinstance(value, External):
            dtype = dtype_of(value) or "?"
        elif value == NONE or (isinstance(value, Const) and isinstance(value.value, bool)):
            continue
        elif isinstance(value, Unknown) and _is_called_dtype(arg.node):
            dtype = "?"
        elif not (isinstance(value, Scalar) and value.type == "bool"):
            device = device_of(value)
            dtype = dtype if isinstance(value, (DeviceValue, Const, Scalar)) else "?"
    if "device" in site.keywords:
        device = device_of(site.keywords["device"].value)
    if "dtype" in site.keywords and site.keywords["dtype"].value != NONE:
        dtype = dtype_of(site.keywords["dtype"].value) or "?"
    if "other" in site.keywords:
        return _like(site.keywords["other"].value)
    if site.open:
        return Target(UNKNOWN_DEVICE, "?")
    followed = [arg.value for arg in site.all_args() if is_followed(arg.value)]
    return Target(device, dtype, chosen=not followed, roots=roots_followed(followed[0]) if followed else ())


def _is_called_dtype(node: ast.expr | None) -> bool:
    """Whether what nobody knows is called a dtype, and so is no device."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return str(name).endswith("dtype")


def tensor(interp: Interpreter, value: Tensor, name: str, site: CallSite) -> Value:
    """The moved or cast copy of a tensor; the tensor itself where nothing changes."""
    if name == "type" and not site.args and not site.keywords:
        return _type_name(value)
    target = target_of(name, site)
    if name == "to" and target == Target() and not interp.is_script and NONE in _given(site):
        target = Target(UNKNOWN_DEVICE, chosen=False)  # a device that is left out here may be given by others
    _note_devices(interp, name, site)
    followed.note(interp, target.device)
    moved = retarget(interp, value, target, site)
    where = (
        site.node.func.value
        if isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute)
        else None
    )
    if target.device is not None and name == "to":
        mps.check_move(interp, value, moved, where, site)
    return moved


def _note_devices(interp: Interpreter, name: str, site: CallSite) -> None:
    """Remember how a move says its device, and write down what is none."""
    for arg in site.all_args():
        notes.choice(interp, arg)
    device = site.get(0, "device") if name in ("to", "cuda") else None
    if device is not None:
        device_strings.check(interp, site, device)


def _given(site: CallSite) -> list[Value]:
    return [arg.value for arg in site.all_args()]


def held(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Ref:
    """``batch.to(device)`` of an object that moves the tensors it holds in place, and returns itself."""
    target = Target(target_of(name, site).device)
    moved = containers.with_tensors(interp.obj(ref), lambda tensor: retarget(interp, tensor, target, site))
    interp.update(ref, moved)
    return ref


def retarget(interp: Interpreter, value: Tensor, target: Target, site: CallSite) -> Tensor:
    """``value`` after a move to ``target``."""
    device = target.device if target.device is not None else value.device
    _note_acceleration(interp, target)
    if target.device is not None and target.device.is_accelerator:
        interp.note_placement("move", site.node)
    dtype = value.dtype if target.dtype is None else target.known_dtype
    # Wherever it goes, what a path left on the CPU goes there, too.
    split = value.split if target.device is None else None
    if target.device is None or (device == value.device and device != CPU):
        trail = (interp.site("cast", site.node),)
        roots = roots_of([value])
        if dtype == value.dtype:
            value = value if split is value.split else replace(value, split=split)
            cast = target.dtype is not None and dtype is not None  # of what may come to be of another one
            return replace(value, typed=(trail,)) if cast else value
    else:
        kind = "result" if target.roots else "move"
        trail, roots = (interp.site(kind, site.node),), target.roots
    typed = of_cast(value, trail[0])
    if target.dtype is None:
        typed = tuple(extend(before, interp.site("move", site.node)) for before in dtype_trails(value))
    # What nobody knows the type of may be of the one that it is cast to, and is then given back as it is.
    uncertain = value.dtype is None or dtype is None
    kept = device == value.device and (dtype == value.dtype or uncertain)
    leaf = value.leaf if kept or not value.grad else False
    if leaf is False and value.leaf and _may_be_there(value, device) and (dtype == value.dtype or uncertain):
        leaf = None
    lost = (
        ("parameter" if value.parameter else "leaf") if value.leaf and leaf is False and interp.grad else ""
    )
    return replace(
        value, device=device, dtype=dtype, trail=trail, roots=roots, leaf=leaf,
        parameter=value.parameter and kept, typed=typed, lost=lost, cast_of=_cast_of(value, dtype),
        split=split,
    )  # fmt: skip


def _may_be_there(value: Tensor, device: Device) -> bool:
    """Whether a tensor that is somewhere may be on a device already, so that a move gives the same one."""
    return value.device.kind in ("same-as", "unknown") and device != CPU


def _cast_of(value: Tensor, dtype: str | None) -> str | None:
    """What whole numbers or truths a tensor of this dtype is made of: those of ``value``, or what it was made of."""
    if dtype == value.dtype and dtype in INTEGERS:
        return value.cast_of
    if dtype not in FLOATS:
        return None
    return value.dtype if value.dtype == "bool" or value.dtype in INTEGERS else value.cast_of


def _note_acceleration(interp: Interpreter, target: Target) -> None:
    if target.device is not None and target.device.kind != "cpu":
        interp.recorder.accelerated |= target.chosen or target.device.is_accelerator


def _stays(interp: Interpreter, ref: Ref, site: CallSite) -> bool:
    """Whether a module is left on the CPU, where it is, by its constructor or for a copy: nobody put it there for good."""
    frame = interp.frame
    inside = frame.receiver == ref and frame.scope.rpartition(".")[2] == "__init__"
    return (inside or _is_for_copy(interp, site)) and modules.module_device(interp, ref) == CPU


def _is_for_copy(interp: Interpreter, site: CallSite) -> bool:
    """Whether what is moved is copied or saved at once: ``deepcopy(model.cpu())``, ``model.cpu().state_dict()``."""
    statement = interp.frame.statement
    for node in walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and site.node in node.args:
            return spelt(node.func).rpartition(".")[2] in ("deepcopy", "save", "dump")
        if isinstance(node, ast.Attribute) and node.value is site.node:
            return node.attr == "state_dict"
    return False


def module(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    """``module.to(...)``: in place, and the module itself is returned; only floats are cast."""
    target = target_of(name, site)
    _note_devices(interp, name, site)
    _note_acceleration(interp, target)
    if target.device is not None and dispatching.refuses(interp, ref, site):
        return ref
    if target.device == CPU and target.dtype is None and _stays(interp, ref, site):
        return ref
    if target.device == CPU and modules.is_on_accelerator(interp, ref):
        interp.update(ref, interp.obj(ref).with_fact(reads.TAKEN_BACK, TRUE))
    where = interp.site("move" if target.device is not None else "cast", site.node)
    module_apply.apply(interp, ref, Retargeting(target.device, target.dtype, where), site.node)
    obj = interp.obj(ref)
    if target.device is not None:
        interp.update(ref, obj.with_fact("moved", TupleValue((Const(str(target.device)),))))
        running = Const(chain(interp))
        for part in modules.tree(interp, ref):
            interp.update(part, interp.obj(part).with_fact(MOVED, running))
            if target.device != CPU:
                leaves.note_followed(interp, interp.obj(part))
    return ref
