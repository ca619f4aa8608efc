"""Methods every ``nn.Module`` has."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language import containers
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import pretrained
from devfix.analysis.torch_model.modules import (
    hooks,
    layers,
    lent_parameters,
    module_apply,
    module_walks,
    owners,
    registering,
)
from devfix.analysis.torch_model.tensors import factories, moves
from devfix.analysis.torch_model.training import checkpoint

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: So many parts of a module are visited in any case.
_VISITED = 8
_ITSELF = frozenset("requires_grad_ share_memory zero_grad compile apply".split())


def is_known(name: str) -> bool:
    """Whether every module has a method of that name."""
    return name in moves.METHODS or name in _HANDLERS or name in _ITSELF or name in ("train", "eval")


def call(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    """``module.name(...)``."""
    if name in moves.METHODS or name == "to_empty":
        return moves.module(interp, ref, "to" if name == "to_empty" else name, site)
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(interp, ref, site)
    if name in ("train", "eval"):
        return _set_mode(interp, ref, name, site)
    if name in _ITSELF:
        if name == "apply" and site.args:
            _visit(interp, ref, site.args[0].value, site.node)
        return NONE if name == "zero_grad" else ref
    if name in ("append", "insert", "extend"):
        return _grow(interp, ref, name, site)
    if name in ("items", "values", "keys"):
        return _entries(interp, ref, name)
    return pretrained.method(interp, ref, name, site)


def _visit(interp: Interpreter, ref: Ref, function: Value, node: ast.expr) -> None:
    """``module.apply(function)``: of many parts, only those of classes that the function has not left as they were."""
    moving: dict[Value, bool] = {}
    for count, part in enumerate(modules.tree(interp, ref)):
        before = interp.obj(part)
        if count >= _VISITED and moving.get(before.cls) is False:
            continue
        interp.call(function, CallSite(node, (Arg(part),)))
        moved = _places(before) != _places(interp.obj(part))
        moving[before.cls] = moving.get(before.cls, False) or moved


def _places(obj: Obj) -> list[tuple[Device, str | None]]:
    return [(tensor.device, tensor.dtype) for _, tensor in modules.registered(obj)]


def _set_mode(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    """``train(mode=True)`` and ``eval()``: what ``self.training`` says from here on."""
    asked = site.value(0, "mode") if name == "train" else FALSE
    mode = TRUE if asked is None else asked
    for part in modules.tree(interp, ref):
        obj = interp.obj(part).with_fact("training", mode)
        # What a module has set of itself is set anew.
        interp.update(part, obj.with_attr("training", mode) if "training" in obj.attrs else obj)
    return ref


def _parameters(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    found = [t for t in modules.tensors(interp, ref) if t.parameter]
    if not found:
        hidden = Tensor(UNKNOWN_DEVICE, parameter=True, owner=ref.address)
        return Sequence(hidden) if _opaque(interp, ref) else TupleValue(())
    # Where they differ, the first one's life is told: nobody needs to look for those of the others.
    first = owners.lives(interp, ref, found[0])
    joined = join_all([replace(tensor, owner=ref.address) for tensor in (first, *found[1:])])
    assert isinstance(joined, Tensor)
    return Sequence(replace(joined, owner=ref.address, rank=-1))


def _opaque(interp: Interpreter, ref: Ref) -> bool:
    """Whether a module may have parameters that nobody sees; an activation of torch's has none."""
    obj = interp.obj(ref)
    return obj.kind == "module" and obj.items is None and not layers.is_stateless(interp, obj)


def _named_parameters(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    values = _parameters(interp, ref, site)
    if isinstance(values, Sequence):
        return Sequence(TupleValue((Scalar("str"), values.element)))
    return TupleValue(())


def _buffers(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    found = [t for t in modules.tensors(interp, ref) if not t.parameter]
    if not found and all(_is_without_buffers(interp, part) for part in modules.tree(interp, ref)):
        return TupleValue(())
    return Sequence(join_all(list(found))) if found else Sequence(UNKNOWN)


def _is_without_buffers(interp: Interpreter, ref: Ref) -> bool:
    """Whether a layer is one of torch's own, none of whose parts nobody sees, and has no buffer."""
    obj = interp.obj(ref)
    name = layers.layer_name(interp, obj.cls) if isinstance(obj.cls, External) else ""
    if name in ("Sequential", "ModuleList"):
        return obj.items is not None
    return layers.is_stateless(interp, obj) and not name.endswith(_NORMS)


#: Without an affine part they have no weights, and may count what they saw all the same.
_NORMS = ("Norm", "Norm1d", "Norm2d", "Norm3d")


def _named_buffers(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    values = _buffers(interp, ref, site)
    if not isinstance(values, Sequence):
        return TupleValue(())
    return Sequence(TupleValue((Scalar("str"), values.element)))


def _state_dict(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """A dict of tensors that live where the module does."""
    found = modules.tensors(interp, ref)
    element = join_all(list(found)) if found else UNKNOWN
    if isinstance(element, Tensor):
        element = replace(element, parameter=False, grad=False)
    extra = {key: interp.call(getter, CallSite(site.node)) for key, getter in _extra(interp, ref, "get")}
    return interp.new(Obj("dict", attrs=extra, element=element))


def _extra(interp: Interpreter, ref: Ref, verb: str) -> list[tuple[str, BoundMethod]]:
    """What gets or sets the state that modules keep besides their tensors, by its key in the state."""
    found: list[tuple[str, BoundMethod]] = []
    for part in modules.tree(interp, ref):
        cls = interp.obj(part).cls
        method = classes.find(interp, cls, f"{verb}_extra_state") if isinstance(cls, Class) else None
        if isinstance(method, Function) and isinstance(cls, Class):
            prefix = "" if part == ref else f"{cls.scope}."
            found.append((f"{prefix}_extra_state", BoundMethod(method, part)))
    return found


def _load_state_dict(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """Copies into the module's own tensors, across devices (facts: "cuda state loaded ...").

    With ``assign=True`` the module has the tensors of the state instead of its own.
    """
    state, assigned = site.value(0, "state_dict"), site.value(2, "assign")
    checkpoint.check_state(interp, state, site.node)
    if assigned == TRUE:
        given = checkpoint.location(interp, state)
        device = given.device if given is not None else UNKNOWN_DEVICE
        trail = given.trail if given is not None else ()
        taken = (*trail, interp.site("assigned", site.node)) if trail else ()

        def take_over(own: Tensor) -> Tensor:
            left = own.device.is_accelerator  # where it could go back to
            return replace(own, device=device, trail=taken if left else trail, roots=())

        modules.transform(interp, ref, take_over)
    given_state = interp.obj_of(state)
    held = given_state.attrs if given_state is not None and given_state.kind == "dict" else {}
    for key, setter in _extra(interp, ref, "set"):
        interp.call(setter, CallSite(site.node, (Arg(held.get(key, UNKNOWN)),)))
    return UNKNOWN


def _grow(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    value = site.args[-1].value if site.args else UNKNOWN
    if name == "extend":
        containers.extend(interp, ref, value)
        lent_parameters.note(interp, ref, site)
    else:
        containers.append(interp, ref, value)
    return ref


def _entries(interp: Interpreter, ref: Ref, name: str) -> Value:
    obj = interp.obj(ref)
    named = {k: v for k, v in obj.attrs.items() if modules.is_module(interp, v) or isinstance(v, Tensor)}
    values = [*named.values(), *([obj.element] if obj.element is not None else [])]
    if name == "keys":
        return TupleValue(tuple(Const(k) for k in named)) if obj.element is None else Sequence(Scalar("str"))
    if obj.element is None:
        if name == "values":
            return TupleValue(tuple(values))
        return TupleValue(tuple(TupleValue((Const(k), v)) for k, v in named.items()))
    element = join_all(values)
    return Sequence(element if name == "values" else TupleValue((Scalar("str"), element)))


def _named_tensor(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.get_parameter("head.weight")``, ``get_buffer``."""
    target = site.value(0, "target")
    value: Value = ref if isinstance(target, Const) else UNKNOWN
    for name in str(target.value).split(".") if isinstance(target, Const) else ():
        value = interp.attribute(value, name, site.node)
    return value


def _causal_mask(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    return factories.causal_mask(interp, "", site)


def _forward(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    return layers.call(interp, ref, site)


def _apply(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    module_apply.apply(interp, ref, site.value(0, "fn") or UNKNOWN, site.node)
    return ref


_HANDLERS: dict[str, Callable[[Interpreter, Ref, CallSite], Value]] = {
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "buffers": _buffers,
    "named_buffers": _named_buffers,
    "children": module_walks.children,
    "modules": module_walks.modules,
    "named_modules": module_walks.named_modules,
    "named_children": module_walks.named_children,
    "get_submodule": module_walks.submodule,
    "get_parameter": _named_tensor,
    "get_buffer": _named_tensor,
    "generate_square_subsequent_mask": _causal_mask,
    "state_dict": _state_dict,
    "load_state_dict": _load_state_dict,
    "register_buffer": registering.buffer,
    "register_parameter": registering.parameter,
    "add_module": registering.submodule,
    "register_module": registering.submodule,
    "register_forward_hook": hooks.register,
    "register_forward_pre_hook": hooks.register_before,
    "register_backward_hook": hooks.register_backward,
    "register_full_backward_hook": hooks.register_backward,
    "forward": _forward,
    "__call__": _forward,
    "_apply": _apply,
}
