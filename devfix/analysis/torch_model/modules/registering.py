"""Registering: what becomes a part of a module under a name that may be computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import NONE, Const, External, Obj, Ref, Tensor, TupleValue, Value
from devfix.analysis.language import containers
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.tensors import leaves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite


#: The buffers of norms; a tensor that is assigned to a buffer is one.
_STATISTICS = frozenset(("running_mean", "running_var", "num_batches_tracked"))
_NORMS = ("BatchNorm", "InstanceNorm")
#: The fact of a module that has buffers, of these names, which may keep their dtype where it is cast.
KEEPING = "buffers that may keep their dtype"


def with_statistics(interp: Interpreter, obj: Obj, name: str, value: Value) -> Obj:
    """A norm of torch as it takes a tensor for one of its statistics."""
    if name not in _STATISTICS or obj.kind != "module" or not isinstance(value, Tensor):
        return obj
    if not any(norm in base for base in modules.external_bases(interp, obj.cls) for norm in _NORMS):
        return obj
    return replace(obj, buffers=obj.buffers | {name})


def buffer(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_buffer(name, tensor)``."""
    name, value = site.value(0, "name"), site.value(1, "tensor")
    if value is not None:
        obj = interp.obj(ref)
        known = isinstance(name, Const) and isinstance(name.value, str)
        # Under a computed name it is kept among the nameless parts.
        kept = str(name.value) if known and isinstance(name, Const) else f"child {len(obj.attrs)}"
        interp.update(ref, replace(obj.with_attr(kept, value), buffers=obj.buffers | {kept}))
    return NONE


def keep_type(interp: Interpreter, ref: Ref, name: Value) -> None:
    """Remember that a buffer may keep its dtype where its module is cast."""
    obj = interp.obj(ref)
    known = obj.facts.get(KEEPING)
    names = known.items if isinstance(known, TupleValue) else ()
    interp.update(ref, obj.with_fact(KEEPING, TupleValue((*(each for each in names if each != name), name))))


def parameter(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.register_parameter(name, param)``."""
    name, value = site.value(0, "name"), site.value(1, "param")
    given = site.get(1, "param")
    if isinstance(value, Tensor) and given is not None:
        value = leaves.check_parameter(interp, value, given.node or site.node)
        value = value.at(interp.site("attribute", site.node))
    if isinstance(name, Const) and isinstance(name.value, str) and value is not None:
        interp.update(ref, interp.obj(ref).with_attr(name.value, value))
    elif isinstance(value, Tensor):
        _keep_nameless(interp, ref, value)
    return NONE


def _keep_nameless(interp: Interpreter, ref: Ref, value: Tensor) -> None:
    """Under a computed name: what holds the parameter, a layer or a list of the module's own, moves with the module."""
    obj = interp.obj(ref)
    if value.owner is not None and value.owner != ref.address:
        if Ref(value.owner) not in obj.attrs.values():
            interp.update(ref, obj.with_attr(f"child {len(obj.attrs)}", Ref(value.owner)))
        return
    for held in obj.attrs.values():
        kept = interp.obj_of(held)
        if isinstance(held, Ref) and kept is not None and kept.kind == "list" and _holds(kept, value):
            interp.update(held, replace(kept, kind="module", cls=External("torch.nn.ParameterList")))


def _holds(kept: Obj, value: Tensor) -> bool:
    """Whether a list has a parameter that was made where this one was."""
    parts = [
        part for part in (*(kept.items or ()), kept.element) if isinstance(part, Tensor) and part.parameter
    ]
    return any(part.trail[:1] == value.trail[:1] for part in parts)


def submodule(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.add_module(name, module)``."""
    name, value = site.value(0, "name"), site.value(1, "module")
    obj = interp.obj(ref)
    if value is None:
        return NONE
    if obj.items is not None or obj.element is not None:
        containers.append(
            interp, ref, value
        )  # a list of modules goes through them all, whatever they are called
        obj = interp.obj(ref)
    if isinstance(name, Const) and isinstance(name.value, str):
        interp.update(ref, obj.with_attr(name.value, value))
    else:
        # A computed name: keep the module among the nameless children.
        interp.update(ref, obj.with_attr(f"child {len(obj.attrs)}", value))
    return NONE
