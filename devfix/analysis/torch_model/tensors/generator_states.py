"""States of random generators: bytes on the CPU, whichever device the generator draws for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import ACCELERATOR, CPU
from devfix.analysis.domain.values import NONE, Sequence, Tensor, Unknown, Value, without_none
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.loading import file_parts
from devfix.analysis.torch_model.tensors import host_memory, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MODULES = (
    "torch",
    "torch.random",
    "torch.cuda",
    "torch.cuda.random",
    "torch.xpu",
    "torch.xpu.random",
    "torch.mps",
)


def get(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``get_rng_state()``: a copy on the CPU."""
    return Tensor(CPU, "uint8", 1, grad=False, leaf=True, trail=(interp.site("other", site.node),))


def get_all(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.cuda.get_rng_state_all()``: one for each device."""
    return Sequence(get(interp, name, site))


def give(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``set_rng_state(state)`` reads the CPU's memory: "RNG state must be a torch.ByteTensor"."""
    arg = site.get(0, "new_state")
    value = _tensor(interp, arg.value) if arg is not None else None
    if arg is not None and isinstance(value, Tensor) and requirements.leaves_host(interp, value):
        requirements.record(interp, site.node, name, "host-only", [Part(value, "new_state", arg.node)])
    return NONE


def give_all(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.cuda.set_rng_state_all(states)``: each of them."""
    arg = site.get(0, "new_states")
    if arg is None:
        return NONE
    part = _tensor(interp, arg.value)
    value = Sequence(part) if isinstance(part, Tensor) and isinstance(arg.value, Unknown) else arg.value
    for tensor, node, inside in host_memory.device_tensors(interp, arg._replace(value=value)):
        requirements.record(
            interp, site.node, name, "host-only", [Part(tensor, "new_states", node)], inside=inside
        )
    return NONE


def of_generator(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``get_state`` and ``set_state`` of a generator."""
    return get(interp, name, site) if name == "get_state" else give(interp, "torch.Generator.set_state", site)


def _tensor(interp: Interpreter, value: Value) -> Value:
    """The state that is given; a part of a file that was loaded to the accelerator is there."""
    value = without_none(value)
    made = file_parts.brought(interp, value)
    return (
        Tensor(ACCELERATOR, "uint8", 1, grad=False, leaf=True, trail=(made,)) if made is not None else value
    )


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **{f"{module}.get_rng_state": get for module in _MODULES},
    **{f"{module}.set_rng_state": give for module in _MODULES},
    **{f"{module}.get_rng_state_all": get_all for module in _MODULES[2:6]},
    **{f"{module}.set_rng_state_all": give_all for module in _MODULES[2:6]},
}
