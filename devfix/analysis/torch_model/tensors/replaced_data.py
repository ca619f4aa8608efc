"""``p.data = t``: a tensor is given other storage, and with it another device and dtype."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU, FLOATS
from devfix.analysis.domain.values import NONE, Class, Obj, Ref, Tensor, Value, without_none
from devfix.analysis.language import iteration, rebinding
from devfix.analysis.nn import modules
from devfix.analysis.record.trails import dtype_trails, extend
from devfix.analysis.reuse import reads
from devfix.analysis.text import shared_attributes
from devfix.analysis.torch_model.tensors import leaves, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite, Loop
    from devfix.findings import Origin

#: What hands out all parameters of a module.
_WALKS = frozenset({"parameters", "named_parameters"})
#: What yields the items of its first argument, one after the other.
_ALIKE = frozenset({"list", "tuple", "iter", "tqdm"})


def assign(
    interp: Interpreter,
    target: ast.Attribute,
    tensor: Tensor,
    value: Tensor,
    statement: ast.stmt | ast.expr | None,
    holder: Value | None = None,
) -> None:
    """``p.data = t`` of a parameter, or of any other tensor; ``holder`` is what has ``p`` as an attribute, where it does.

    Where the program was made for the CPU, nobody means to take a parameter back there.
    """
    if interp.program.adopts:
        leaves.give(interp, "torch.Tensor.data", tensor, value, target)
    made = interp.site("replaced", statement.value if isinstance(statement, ast.Assign) else target)
    replaced = _replacing(value, made, is_parameter=tensor.parameter)
    left = _is_left(tensor, value) or _is_of_other_width(tensor, value)
    owner = _walked(interp, target.value, tensor) if left else None
    layer = _layer(interp, target.value, holder) if left else None
    if layer is not None:
        # Its parameters have one description: that of the one it cannot work with.
        interp.update(layer, replace(interp.obj(layer), place=replaced(tensor)))
        return
    if owner is not None:
        modules.transform(interp, owner, lambda old: replaced(old) if old.parameter else old)
    rebinding.rebind(interp, target.value, replaced(tensor), holder)
    if owner is None and not (left and _is_attribute(interp, target.value, holder)):
        modules.forget_parameters(interp, tensor, value.device)
        if not isinstance(target.value, ast.Attribute):
            _forget_width(interp, tensor, value)


def _forget_width(interp: Interpreter, tensor: Tensor, value: Tensor) -> None:
    """Forget the dtype of the parameters that may be ``tensor``, which a name of its own stands for."""
    if not tensor.parameter or tensor.dtype == value.dtype:
        return
    for address, obj in reads.objects(interp):
        if any(part.parameter and part.dtype == tensor.dtype for _, part in modules.registered(obj)):
            modules.transform_one(
                interp, Ref(address), lambda old: replace(old, dtype=None) if old.parameter else old
            )


def _replacing(value: Tensor, made: Origin, *, is_parameter: bool) -> Callable[[Tensor], Tensor]:
    """What makes of a tensor the one that it is with the storage of another."""

    def replaced(old: Tensor) -> Tensor:
        new = replace(old, device=value.device, dtype=value.dtype, rank=value.rank, empty=value.empty)
        if value.dtype != old.dtype:
            new = replace(new, typed=tuple(extend(trail, made) for trail in dtype_trails(value)))
        roots = value.roots or ((value.trail,) if value.trail else ())
        stays = value.device != CPU or old.device == CPU or not is_parameter
        given = tuple(extend(trail, made) for trail in roots)
        return new if stays else replace(new, trail=(made,), roots=given, split=None)

    return replaced


def fill(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``vector_to_parameters(vector, net.parameters())``: each parameter has a piece of the vector as its data.

    Where the program was made for the CPU, nobody means to take them back there.
    """
    vector, given = site.get(0, "vec"), site.get(1, "parameters")
    value = without_none(vector.value) if vector is not None else None
    if vector is None or given is None or not isinstance(value, Tensor):
        return NONE
    parameter = iteration.element(interp, given.value, given.node)
    if not isinstance(parameter, Tensor):
        return NONE
    if interp.program.adopts:
        parts = [Part(parameter, "parameters"), Part(value, "vec", vector.node)]
        requirements.meet(interp, site.node, name, parts, scalars=False)
    owner = _all_of(interp, given.node, parameter)
    if owner is None:
        modules.forget_parameters(interp, parameter, value.device)
        return NONE
    made = interp.site("replaced", vector.node or site.node)
    replaced = _replacing(replace(value, rank=None), made, is_parameter=True)
    modules.transform(interp, owner, lambda old: replaced(old) if old.parameter else old)
    return NONE


def _all_of(interp: Interpreter, walk: ast.expr | None, parameter: Tensor) -> Ref | None:
    """The module all of whose parameters ``net.parameters()`` hands out, of which one is known."""
    walks = isinstance(walk, ast.Call) and getattr(walk.func, "attr", "") in _WALKS
    owner = Ref(parameter.owner) if walks and parameter.owner is not None else None
    return owner if owner is not None and interp.obj_of(owner) is not None else None


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(
    ("torch.nn.utils.vector_to_parameters", "torch.nn.utils.convert_parameters.vector_to_parameters"), fill
)


def with_parameter(
    interp: Interpreter, obj: Obj, value: Value, target: ast.expr, statement: ast.stmt | ast.expr | None
) -> Obj:
    """A layer of torch's own that was given a parameter, ``layer.weight = nn.Parameter(t)``, of another width or left behind."""
    given = isinstance(value, Tensor) and value.parameter and not isinstance(obj.cls, Class)
    if not given or not isinstance(value, Tensor) or obj.place is None:
        return obj
    made = interp.site("replaced", statement.value if isinstance(statement, ast.Assign) else target)
    if _is_left(obj.place, value):
        roots = value.roots or ((value.trail,) if value.trail else ())
        left = replace(obj.place, device=CPU, dtype=value.dtype, trail=(made,), roots=roots, split=None)
        return replace(obj, place=left)
    if not _is_of_other_width(obj.place, value):
        return obj
    typed = tuple(extend(trail, made) for trail in dtype_trails(value))
    return replace(obj, place=replace(obj.place, dtype=value.dtype, typed=typed))


def _is_left(tensor: Tensor, value: Tensor) -> bool:
    """Whether a parameter on the accelerator gets data from the CPU, which nobody took there for that purpose."""
    moved = value.trail[:1] != () and value.trail[0].kind == "move"
    away = tensor.device.is_accelerator or tensor.is_parted
    return tensor.parameter and value.device == CPU and away and not moved


def _is_of_other_width(tensor: Tensor, value: Tensor) -> bool:
    """Whether a parameter gets floats of another width, as what went through NumPy may be."""
    widths = tensor.dtype, value.dtype
    return tensor.parameter and widths[0] != widths[1] and all(width in FLOATS for width in widths)


def _layer(interp: Interpreter, parameter: ast.expr, owner: Value | None) -> Ref | None:
    """The layer of torch's own, ``owner``, whose parameter is written as ``layer.weight``."""
    obj = interp.obj_of(owner)
    if not isinstance(owner, Ref) or not isinstance(parameter, ast.Attribute) or obj is None:
        return None
    return owner if obj.place is not None and parameter.attr not in obj.attrs else None


def _is_attribute(interp: Interpreter, parameter: ast.expr, owner: Value | None) -> bool:
    """Whether a parameter is written as the attribute of one object, and no other attribute may be the same parameter."""
    obj = interp.obj_of(owner)
    if not isinstance(owner, Ref) or not isinstance(parameter, ast.Attribute) or obj is None:
        return False
    sources = interp.program.sources.values()
    return parameter.attr in obj.attrs and not any(
        parameter.attr in shared_attributes.names(source.tree) for source in sources
    )


def _walked(interp: Interpreter, holder: ast.expr, tensor: Tensor) -> Ref | None:
    """The module all of whose parameters the variable of a loop stands for, one after the other."""
    loop: Loop | None = interp.frame.loops[-1] if interp.frame.loops else None
    if loop is None or loop.node is None or not isinstance(holder, ast.Name):
        return None
    return _all_of(interp, _source(loop.node.target, loop.node.iter, holder.id), tensor)


def _source(target: ast.expr, items: ast.expr, name: str) -> ast.expr | None:
    """What a loop takes the values of a variable from: the second of ``zip``'s arguments, say."""
    while isinstance(items, ast.Call) and getattr(items.func, "id", "") in _ALIKE and items.args:
        items = items.args[0]
    if isinstance(target, ast.Name):
        return items if target.id == name else None
    if not isinstance(target, ast.Tuple):
        return None
    called = items.func.id if isinstance(items, ast.Call) and isinstance(items.func, ast.Name) else ""
    parts = items.args if isinstance(items, ast.Call) else []
    if called == "enumerate":
        parts = [ast.Constant(0), *parts[:1]]
    elif called != "zip":  # the pairs of ``named_parameters()``
        parts = [items] * len(target.elts)
    if len(parts) != len(target.elts):
        return None
    found = (_source(each, part, name) for each, part in zip(target.elts, parts, strict=True))
    return next((source for source in found if source is not None), None)
