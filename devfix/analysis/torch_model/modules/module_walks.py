"""Walks over the parts of a module: ``modules()``, ``named_children()`` and their kin, in PyTorch's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, join_values
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Const,
    External,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    members,
)
from devfix.analysis.language.containers import BUFFERS_OF, PARAMETERS_OF, PARTS_OF
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import hidden_modules
from devfix.analysis.nn.modules import is_module
from devfix.analysis.torch_model.libraries import model_parts

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: A part with its name in the module, which is None where nobody can tell it.
Named = tuple[str | None, Ref]

#: Under such names a module keeps the children that were added under computed ones.
_NAMELESS = "child "


def children(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.children()``."""
    if is_closed(interp, ref):
        return Sequence(_part(interp, ref))
    return TupleValue(tuple(part for _, part in _children(interp, ref)))


def named_children(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.named_children()``."""
    if is_closed(interp, ref):
        return Sequence(TupleValue((Scalar("str"), _part(interp, ref))))
    return _pairs(_children(interp, ref))


def modules(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.modules()``."""
    if is_closed(interp, ref):
        return Sequence(join_values(ref, _part(interp, ref)))
    return TupleValue(tuple(part for _, part in _tree(interp, ref)))


def named_modules(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.named_modules()``."""
    if is_closed(interp, ref):
        return Sequence(TupleValue((Scalar("str"), join_values(ref, _part(interp, ref)))))
    return _pairs(_tree(interp, ref))


def submodule(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``module.get_submodule("encoder.layers.0")``; under a name that nobody knows it is one of all below."""
    target = site.value(0, "target")
    if is_closed(interp, ref):
        return _part(interp, ref)
    wanted = target.value if isinstance(target, Const) else None
    found = [part for name, part in _tree(interp, ref) if wanted is None or name in (None, wanted)]
    return join_all(list(found)) if found else UNKNOWN


def by_name(interp: Interpreter, ref: Ref) -> Value:
    """``module._modules``: the direct submodules as a dict; what is put there belongs to the module."""
    facts: dict[str, Value] = {PARTS_OF: ref}
    if is_closed(interp, ref):
        return interp.new(Obj("dict", element=_part(interp, ref), facts=facts))
    named, others = {}, []
    for name, value in _children(interp, ref):
        if name is None:
            others.append(value)
        else:
            named[name] = value
    element = join_all(list(others)) if others else None
    return interp.new(Obj("dict", attrs=named, element=element, facts=facts))


def tensors_by_name(interp: Interpreter, ref: Ref, name: str) -> Value:
    """``module._parameters``, ``module._buffers``: its own as a dict; what is put there belongs to the module."""
    return interp.new(_shown(interp, ref, PARAMETERS_OF if name == "_parameters" else BUFFERS_OF))


def looked_at(interp: Interpreter, ref: Ref, obj: Obj) -> Obj:
    """A dict as it is; one of a module's parameters or buffers that was kept has what the module has by now."""
    for view in (PARAMETERS_OF, BUFFERS_OF):
        owner = obj.facts.get(view)
        if isinstance(owner, Ref):
            shown, held = _shown(interp, owner, view), interp.obj(owner).attrs
            put = {name: held[name] for name in obj.attrs if name in held}
            obj = replace(shown, attrs={**shown.attrs, **put})
            interp.update(ref, obj)
    return obj


def _shown(interp: Interpreter, ref: Ref, view: str) -> Obj:
    obj = interp.obj(ref)
    buffers = view == BUFFERS_OF
    named, others = dict[str, Value](), list[Value]()
    for each, value in obj.attrs.items():
        if value == NONE and not buffers and not obj.buffers & {each}:
            others.append(UNKNOWN)  # a parameter that is none, or no parameter
            continue
        if (each in obj.buffers) is not buffers or not (buffers or _is_parameter(value)):
            continue
        if each.isidentifier() and not hidden_modules.is_hidden(obj, each):
            named[each] = value
        else:
            others.append(value)
    if obj.kind == "module" or obj.place is not None:
        others.append(UNKNOWN)  # a layer of torch has its own under names of its own
    return Obj("dict", attrs=named, element=join_all(others) if others else None, facts={view: ref})


def _is_parameter(value: Value) -> bool:
    return any(isinstance(member, Tensor) and member.parameter for member in members(value))


def is_closed(interp: Interpreter, ref: Ref) -> bool:
    """Whether it is a model whose code is not here: it has parts, and nobody knows which."""
    obj = interp.obj(ref)
    of_torch = isinstance(obj.cls, External) and obj.cls.name.startswith("torch.nn")
    return obj.kind == "module" and obj.place is not None and not of_torch


def part(interp: Interpreter, ref: Ref) -> Value:
    """``model[i]``, and what a loop over a model gives: a part of one whose code is not here, else nobody knows."""
    return _part(interp, ref) if is_closed(interp, ref) else UNKNOWN


def _part(interp: Interpreter, ref: Ref) -> Ref:
    """One of its parts: it moves with the model."""
    obj, name = interp.obj(ref), f"{_NAMELESS}of it"
    known = obj.attrs.get(name)
    if isinstance(known, Ref):
        return known
    made = interp.new(Obj("module", place=obj.place, facts=model_parts.taken_of(obj), trail=obj.trail))
    interp.update(ref, obj.with_attr(name, made))
    return made


def _pairs(named: Iterator[Named]) -> Value:
    return TupleValue(
        tuple(TupleValue((Scalar("str") if name is None else Const(name), part)) for name, part in named)
    )


def _children(interp: Interpreter, ref: Ref) -> Iterator[Named]:
    """The direct submodules, each once."""
    obj = interp.obj(ref)
    items = enumerate(obj.items or ())
    entries: list[tuple[str | None, Value]] = [
        *((None if name.startswith(_NAMELESS) else name, value) for name, value in obj.attrs.items()),
        *((str(number), value) for number, value in items),
        *([(None, obj.element)] if obj.element is not None else []),
    ]
    seen: set[Ref] = set()
    for name, value in entries:
        possible = members(value)
        for part in possible:
            if isinstance(part, Ref) and part not in seen and is_module(interp, part):
                seen.add(part)
                yield name if len(possible) == 1 else None, part


def _tree(interp: Interpreter, ref: Ref) -> Iterator[Named]:
    """The module itself, then everything below it, depth first, each once."""
    seen: set[Ref] = set()
    pending: list[Named] = [("", ref)]
    while pending:
        prefix, current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        yield prefix, current
        below = [(_joined(prefix, name), part) for name, part in _children(interp, current)]
        pending.extend(reversed(below))


def _joined(prefix: str | None, name: str | None) -> str | None:
    if prefix is None or name is None:
        return None
    return f"{prefix}.{name}" if prefix else name
