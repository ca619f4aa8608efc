"""Optimizers: which parameters they hold, and where their state is.

``Module.to`` keeps the Parameter objects, so building an optimizer first is fine, unless it has
state by then: Adagrad allocates it in its constructor, ``load_state_dict`` casts it to where the
parameters are at that time, and a step makes it there (facts: "optimizer ... before model.to").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import MOVED
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    NONE,
    TRUE,
    UNKNOWN,
    BoundMethod,
    Const,
    DeviceValue,
    External,
    Function,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.record import trails
from devfix.analysis.record.trails import Trail
from devfix.analysis.torch_model.modules import owners
from devfix.analysis.torch_model.tensors import leaves, requirements
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.analysis.torch_model.training import checkpoint, param_groups

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Optimizers that allocate their state when they are made.
EAGER = frozenset({"torch.optim.Adagrad"})
#: Optimizers that keep no state unless asked for momentum.
_MOMENTUM = frozenset({"torch.optim.SGD"})


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.optim.Adam(params, ...)``."""
    trail = (interp.site("other", site.node),)
    ref = interp.new(Obj("optimizer", External(name), trail=trail))
    initialise_base(interp, ref, name, site)
    return ref


def initialise_base(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> None:
    """What an optimizer's constructor does with ``params``."""
    found = _tensors(interp, site)
    obj = interp.obj(ref)
    for tensor in found:
        leaves.note_trained(interp, tensor)
        if leaves.is_lost(tensor):
            node = site.args[0].node if site.args else None
            requirements.record(interp, site.node, name, "no-leaf", [Part(tensor, "params", node)])
    owners = {tensor.owner for tensor in found if tensor.owner is not None}
    obj = obj.with_fact("owners", TupleValue(tuple(Const(owner) for owner in sorted(owners))))
    obj = obj.with_fact("built", Const(trails.chain(interp)))
    home = parameter_device(interp, obj)
    if home is not None and home.is_accelerator:
        obj = obj.with_fact("late", TRUE)
    params = interp.new(Obj("list", element=found[0] if found else UNKNOWN))
    interp.parameter_lists.append(params)
    obj = obj.with_attr("param_groups", param_groups.make(interp, site, params))
    state = interp.new(Obj("dict", element=interp.new(Obj("dict"))))
    obj = obj.with_attr("state", state).with_attr("defaults", interp.new(Obj("dict", element=UNKNOWN)))
    stateless = name in _MOMENTUM and site.value(2, "momentum") in (None, Const(0), Const(0.0))
    if stateless:
        obj = obj.with_fact("stateless", Const(True))
    interp.update(ref, obj)
    if name in EAGER:
        _set_state(interp, ref, site)


def _tensors(interp: Interpreter, site: CallSite) -> list[Tensor]:
    """The tensors among the parameters given, groups included."""
    given = site.value(0, "params")
    if given is None:
        return []
    items = iteration.exact_items(interp, given)
    values = list(items) if items is not None else [iteration.element(interp, given, None)]
    found: list[Tensor] = []
    for value in map(without_none, values):
        if isinstance(value, Tensor):
            found.append(value)
            continue
        obj = interp.obj_of(value)
        if obj is not None and obj.kind == "dict" and "params" in obj.attrs:
            params = obj.attrs["params"]
            if isinstance(params, Tensor):
                found.append(params)
                continue
            element = iteration.element(interp, params, None)
            found.extend([element] if isinstance(element, Tensor) else [])
    return found


def parameter_device(interp: Interpreter, obj: Obj) -> Device | None:
    """Where the optimizer's parameters are now, when they all belong to known modules."""
    owners = obj.facts.get("owners")
    if not isinstance(owners, TupleValue) or not owners.items:
        return None
    devices = set()
    for owner in owners.items:
        if (
            isinstance(owner, Const)
            and isinstance(owner.value, int)
            and interp.state.read(owner.value) is not None
        ):
            devices.add(modules.module_device(interp, Ref(owner.value)))
    return devices.pop() if len(devices) == 1 else None


def _set_state(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    obj = interp.obj(ref)
    device = parameter_device(interp, obj)
    if device is None or "stateless" in obj.facts:
        return
    trail = (*obj.trail[:1], interp.site("other", site.node))
    obj = obj.with_fact("state device", DeviceValue(device)).with_fact("filled", Const(trails.chain(interp)))
    interp.update(ref, replace(obj, trail=trail))


def is_optimizer(interp: Interpreter, ref: Ref) -> bool:
    """Whether an object is an optimizer, of torch or of the project."""
    obj = interp.obj(ref)
    return obj.kind == "optimizer" or any(
        base.startswith("torch.optim.") for base in modules.external_bases(interp, obj.cls)
    )


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str) -> Value | None:
    """Data attributes are set when the optimizer is made; who reads the state may move it by hand."""
    if name == "state" and obj.kind == "optimizer" and "state device" in obj.facts:
        interp.update(ref, obj.with_fact("state device", DeviceValue(UNKNOWN_DEVICE)))
    return obj.attrs.get(name)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``optimizer.name(...)``."""
    if name == "step":
        closure = site.value(0, "closure")
        if isinstance(closure, (Function, BoundMethod)):
            # It evaluates the model, and gives the loss that ``step`` returns.
            return interp.call(closure, CallSite(site.node))
        _step(interp, ref, obj, site)
        return NONE
    if name == "load_state_dict":
        checkpoint.check_state(interp, site.value(0, "state_dict"), site.node)
        _set_state(interp, ref, site)
        return NONE
    if name == "state_dict":
        return interp.new(Obj("dict", element=UNKNOWN))
    if name == "add_param_group":
        return NONE
    return NONE if name == "zero_grad" else UNKNOWN


def _step(interp: Interpreter, ref: Ref, obj: Obj, site: CallSite) -> None:
    if interp.is_script and not interp.recorder.accelerated:  # else nobody asks for models
        _note_trained(interp, obj)
    device = parameter_device(interp, obj)
    state = obj.facts.get("state device")
    if device is None or not device.is_known:
        return
    if isinstance(state, DeviceValue):
        if {state.device.kind, device.kind} == {"cpu", "accelerator"}:
            record_step(interp, obj, state.device, device, site)
        return
    if "stateless" not in obj.facts:
        interp.update(ref, obj.with_fact("state device", DeviceValue(device)))


#: Under which fact a module keeps whether it was trained before another one held it.
_TRAINED_ALONE = "trained alone"


def is_trained_alone(obj: Obj) -> bool:
    """Whether a module was trained while no other one held it: it is a model of its own, whatever it is a part of now."""
    return obj.facts.get(_TRAINED_ALONE) == TRUE


def _note_trained(interp: Interpreter, obj: Obj) -> None:
    found = obj.facts.get("owners")
    for owner in found.items if isinstance(found, TupleValue) else ():
        address = owner.value if isinstance(owner, Const) else None
        module = interp.state.read(address) if isinstance(address, int) else None
        if module is not None and isinstance(address, int) and _TRAINED_ALONE not in module.facts:
            alone = address not in owners.holders(interp)
            interp.update(Ref(address), module.with_fact(_TRAINED_ALONE, Const(alone)))


def record_step(interp: Interpreter, obj: Obj, state: Device, device: Device, site: CallSite) -> None:
    """The state is where the parameters were; they have moved since."""
    owner = _moved_owner(interp, obj)
    moved = modules.tensors(interp, owner)[0] if owner is not None else Tensor(device)
    eager = len(obj.trail) > 1 and obj.trail[0].span == obj.trail[1].span
    detail = {"cause": "constructor" if eager else "state"}
    chains = [chain for chain in (_chain(obj, "built"), _chain(obj, "filled")) if chain]
    before = Tensor(state, trail=obj.trail, roots=tuple(chains))
    if owner is not None:
        root = owners.root(interp, owner)[0]
        moved = replace(moved, roots=(_chain(interp.obj(owner), MOVED), interp.obj(root).trail))
    requirements.record(
        interp, site.node, getattr(obj.cls, "name", "torch.optim.Optimizer"), "optimizer-state",
        [Part(before, "state", None), Part(moved, "params", None)], **detail,
    )  # fmt: skip


def _chain(obj: Obj, fact: str) -> Trail:
    """The statements that were being executed when something happened to an object."""
    found = obj.facts.get(fact)
    return found.value if isinstance(found, Const) and isinstance(found.value, tuple) else ()


def _moved_owner(interp: Interpreter, obj: Obj) -> Ref | None:
    owners = obj.facts.get("owners")
    if isinstance(owners, TupleValue) and owners.items and isinstance(owners.items[0], Const):
        address = owners.items[0].value
        if isinstance(address, int):
            return Ref(address)
    return None


def scheduler(interp: Interpreter, name: str, site: CallSite) -> Value:
    """Learning rate schedulers place nothing."""
    return interp.new(Obj("external", External("torch.optim.lr_scheduler")))
