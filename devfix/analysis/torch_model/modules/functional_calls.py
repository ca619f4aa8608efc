"""``torch.func.functional_call``: a module runs with other tensors in place of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import TRUE, UNKNOWN, Obj, Ref, Tensor, TupleValue, Value, without_none
from devfix.analysis.language import containers, iteration, unknown_code
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.modules import owners

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def functional_call(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``functional_call(module, tensors, args, kwargs)``: its tensors are those given, for the call."""
    module = without_none(site.value(0, "module") or UNKNOWN)
    tensors = site.get(1, "parameter_and_buffer_dicts", "parameters_and_buffers")
    if not isinstance(module, Ref) or not modules.is_module(interp, module):
        return unknown_code.call(interp, site)
    own = {part: interp.obj(part) for part in modules.tree(interp, module)}
    modules.transform(interp, module, _substitute(interp, tensors))
    for part in own:
        interp.update(part, interp.obj(part).with_fact(owners.SUBSTITUTED, TRUE))
    result = interp.call(module, _arguments(interp, site))
    for part, before in own.items():
        _give_back(interp, part, before)
    return result


def _substitute(interp: Interpreter, tensors: Arg | None) -> Callable[[Tensor], Tensor]:
    """What stands for a tensor of the module: those given, as far as they are all alike, and they tell where that was.

    Of several dicts the first that is known to hold tensors has the parameters, whatever the others hold.
    """
    whole, node = tensors or Arg(UNKNOWN)
    parts = whole.items if isinstance(whole, TupleValue) else (whole,)
    dicts = [obj for obj in map(interp.obj_of, parts) if obj is not None and obj.kind == "dict"]
    held = [containers.everything(obj) for obj in dicts] if len(dicts) == len(parts) else []
    each = [join_all(values) for values in held if values]
    given = join_all(each) if each else UNKNOWN
    parameters = next((value for value in each if isinstance(value, Tensor)), UNKNOWN)

    def change(own: Tensor) -> Tensor:
        value = parameters if own.parameter else given
        if not isinstance(value, Tensor):
            # Where a device has just been chosen, all that belongs to the model is there.
            return replace(own, device=own.device if interp.program.adopts else UNKNOWN_DEVICE, dtype=None)
        lent = value.at(interp.site("given", node)) if node is not None else value
        return replace(own, device=value.device, dtype=value.dtype, trail=lent.trail, roots=value.roots)

    return change


def _give_back(interp: Interpreter, part: Ref, before: Obj) -> None:
    """The module has its own tensors again; what else the call stored stays."""
    now = interp.obj(part)
    own = {name: before.attrs[name] for name, _ in modules.registered(before) if name}
    facts = {name: value for name, value in now.facts.items() if name != owners.SUBSTITUTED}
    now = replace(now, attrs={**now.attrs, **own}, facts=facts)
    interp.update(part, replace(now, place=before.place, items=before.items, element=before.element))


def _arguments(interp: Interpreter, site: CallSite) -> CallSite:
    """The arguments that come as a tuple and a dict; a single one may come by itself."""
    args, keywords = site.get(2, "args"), site.value(3, "kwargs")
    given: tuple[Arg, ...] = ()
    if args is not None:
        items = (
            args.value.items
            if isinstance(args.value, TupleValue)
            else iteration.exact_items(interp, args.value)
        )
        nodes = getattr(args.node, "elts", None) or []
        if items is None or isinstance(args.value, Tensor):
            given = (args,)
        else:
            exact = len(nodes) == len(items)
            given = tuple(Arg(v, nodes[k] if exact else args.node) for k, v in enumerate(items))
    named = interp.obj_of(keywords)
    known = {key: Arg(value) for key, value in named.attrs.items()} if named is not None else {}
    return CallSite(site.node, given, known)
