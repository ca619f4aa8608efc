"""Advice: what to do about an error, and the rules that explain it further."""

from __future__ import annotations

from devfix.tracebacks import sentences
from devfix.tracebacks.blame import Blame
from devfix.tracebacks.operands import Culprit
from devfix.tracebacks.readings import Reading, is_accelerator, is_host
from devfix.tracebacks.sentences import is_loss
from devfix.tracebacks.signatures import OF_MODULE

#: The rules for a kind of mismatch, the one that fits most often first.
RULES: dict[str, tuple[str, ...]] = {
    "device": ("operand-not-moved", "created-on-cpu", "model-not-moved"),
    "optimizer-state": ("optimizer-state-before-move", "optimizer-before-move"),
    "numpy": ("numpy-of-device-tensor",),
    "array-dtype": ("numpy-lacks-dtype",),
    "host-only": ("host-only-argument-on-device",),
    "dtype": ("float64-meets-float32",),
    "index-dtype": ("index-not-integer",),
    "target-dtype": ("target-dtype",),
    "in-place-dtype": ("in-place-result-type",),
    "mask-dtype": ("mask-not-boolean",),
    "float-dtype": ("integer-where-float-needed",),
    "narrow-float": ("narrow-float-where-wide-needed",),
    "float64-on-mps": ("float64-on-mps",),
    "value-range": ("number-overflows-dtype",),
    "generator": ("generator-device",),
    "legacy-constructor": ("legacy-tensor-type",),
    "device-string": ("invalid-device-string",),
    "worker": ("device-move-in-dataset", "device-move-in-collate", "fork-after-accelerator"),
    "pin": ("pinned-device-tensor",),
    "framework-pin": ("framework-owns-device",),
    "no-leaf": ("moved-parameter-is-no-leaf",),
    "dispatched": ("device-map-then-move",),
    "map-location": ("load-without-map-location",),
    "absent-device": ("device-scattered",),
}

_CRITERION = "Give the criterion its weights on the device: `nn.CrossEntropyLoss(weight=weights.to(device))`, or move the criterion too: `criterion.to(device)`."
_MODULE = (
    "Move the module before it is used: `net = net.to(device)`. If that is done: a layer that is made later, a copy that was"
    " taken before, and modules in a plain list or dict stay behind (use `nn.ModuleList`, `nn.ModuleDict`)."
)
_ATTRIBUTE = (
    "Tensors that are plain attributes of a module do not move with it. Register it where it is made:"
    ' `self.register_buffer("{name}", ..., persistent=False)`.'
)
_OPERAND = (
    "Move `{text}` to the device of the rest, where it is taken from its batch or made: `{text} = {text}.to(device)`."
    " `Tensor.to` returns a new tensor; without the assignment nothing changes."
)
_EXPRESSION = "Make or move `{text}` on the device of what it meets: `device=x.device` in a factory call, `.to(x.device)` otherwise."
_ROLE = (
    "Move {role} to the device of the rest: `x = x.to(device)` where it comes out of its batch, or `device=` where it is made."
    " `Tensor.to` returns a new tensor; without the assignment nothing changes."
)
_UNKNOWN = (
    "Print `.device` of each operand just before the line. The one on the CPU is to be made on the device (`device=x.device`)"
    " or moved there (`x = x.to(device)`)."
)
_SEVERAL_GPUS = (
    "This is about several GPUs: both operands are on one, but not on the same. Take the device from the tensor at hand"
    " (`x.device`) and never from a number such as `cuda:0`; choose one GPU with CUDA_VISIBLE_DEVICES to rule it out."
)
_OPTIMIZER = (
    "Move the model first, then make the optimizer, then load its state: `model.to(device)`, `optimizer = ...`,"
    " `optimizer.load_state_dict(...)`. State made or loaded before the move stays where it was."
)
_CAST = "Cast `{text}` to {wanted}, best where the data comes in: `.to(torch.{wanted})`. NumPy computes in float64 unless it is told otherwise."
_CAST_MODULE = "Cast the input to the dtype of the weights: `x.to(next(module.parameters()).dtype)`."
_CAST_UNKNOWN = (
    "Print `.dtype` of each operand just before the line. Data from NumPy is float64 (`.float()`); where half and float meet,"
    " let autocast decide, or cast to the dtype of what is there: `x.to(y.dtype)`."
)


def what_to_do(reading: Reading, found: Blame) -> str:
    """The advice for an error whose family has none of its own."""
    if reading.kind == "optimizer-state":
        return _OPTIMIZER
    if reading.kind == "device":
        return _of_device(reading, found)
    if found.culprits and found.suspicion.wanted:
        return _CAST.format(text=found.culprits[0].text, wanted=found.suspicion.wanted)
    return _CAST_MODULE if "input" in found.suspicion.roles else _CAST_UNKNOWN


def _of_device(reading: Reading, found: Blame) -> str:
    devices = reading.all_devices
    if len(devices) > 1 and all(is_accelerator(device) for device in devices):
        return _SEVERAL_GPUS
    if not found.culprits:
        return _of_roles(set(found.suspicion.roles), found)
    return _of_culprit(found.culprits[0], found)


def _of_roles(roles: set[str], found: Blame) -> str:
    """The advice when only the role of the operand is known."""
    if not roles or roles & {"module", "metric", "distribution"}:
        return _UNKNOWN if not roles else _MODULE
    if roles & OF_MODULE:
        return _CRITERION if is_loss(found.call) else _MODULE
    return _ROLE.format(role=sentences.role_name(min(roles)))


def _of_culprit(culprit: Culprit, found: Blame) -> str:
    if culprit.of_module:
        return _CRITERION if is_loss(found.call) else _MODULE
    name = culprit.text.removeprefix("self.")
    if culprit.text.startswith("self.") and name.isidentifier():
        return _ATTRIBUTE.format(name=name)
    last = found.steps[-1].culprit if found.steps else culprit
    return (_OPERAND if last.text.isidentifier() else _EXPRESSION).format(text=last.text)


def rules_for(reading: Reading, found: Blame) -> tuple[str, ...]:
    """The names of the rules that have a page about it, the best first."""
    if reading.family.rules:
        return reading.family.rules
    if not reading.kind:
        return ()
    if reading.kind == "device":
        return _rules_of_device(reading, found)
    return RULES.get(reading.kind, ())


def _rules_of_device(reading: Reading, found: Blame) -> tuple[str, ...]:
    devices = reading.all_devices
    if len(devices) > 1 and not any(is_host(device) for device in devices):
        return ("device-scattered",)
    culprit = found.culprits[0] if found.culprits else None
    roles = set(found.suspicion.roles)
    if (culprit is not None and culprit.of_module) or (culprit is None and roles & OF_MODULE):
        return (
            ("criterion-tensor-on-cpu",)
            if is_loss(found.call)
            else ("model-not-moved", "unregistered-module")
        )
    if culprit is not None and culprit.text.startswith("self."):
        return ("unregistered-tensor", "operand-not-moved")
    return RULES["device"] if not roles else ("operand-not-moved", "created-on-cpu")
