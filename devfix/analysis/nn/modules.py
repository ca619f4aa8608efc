"""``nn.Module`` objects: what is registered in them, where they live, and what moving them does."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    TRUE,
    UNKNOWN,
    BoundMethod,
    Class,
    DeviceValue,
    DTypeValue,
    External,
    Function,
    Obj,
    Partial,
    Ref,
    Scalar,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
)
from devfix.analysis.nn import hidden_modules, reach
from devfix.analysis.record.trails import OF_OBJECT, extend
from devfix.analysis.reuse import reads
from devfix.analysis.text import own_attributes
from devfix.analysis.torch_model import names
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Classes outside the project whose subclasses and instances behave like ``nn.Module``.
MODULE_BASES = frozenset(
    "torch.nn.Module lightning.LightningModule transformers.PreTrainedModel torchmetrics.Metric torch.jit.ScriptModule "
    "torch.distributions.transforms.TransformModule".split()
)
#: The fact of a module that code outside the program was given, which may have put anything into it.
HANDED_OUT = "handed out"
#: The fact of a module of which nobody saw what its constructor made of it: what it registered is not known.
UNMADE = "unmade"
#: How the class is called from which the types descend that ``namedtuple`` makes, and what calling one of those means.
NAMED_TUPLE = "collections.namedtuple"
NEW_NAMED_TUPLE = f"{NAMED_TUPLE}.__new__"
#: How transformers and diffusers name their models; those of other frameworks have a prefix.
_PRETRAINED = re.compile(r"(?!TF[A-Z]|Flax[A-Z])\w*(Model|For[A-Z]\w+)$")


def external_bases(interp: Interpreter, cls: Value) -> tuple[str, ...]:
    """The canonical names of the classes outside the project that a class descends from."""
    if isinstance(cls, External):
        return (cls.name,)
    if not isinstance(cls, Class):
        is_named = isinstance(cls, Partial) and cls.function == External(NEW_NAMED_TUPLE)
        return (NAMED_TUPLE,) if is_named else ()
    known = interp.library.outer_bases.get(cls.frame)
    if known is None:
        bases = (member for base in cls.bases for member in members(base))
        known = tuple(dict.fromkeys(name for base in bases for name in external_bases(interp, base)))
        interp.library.outer_bases[cls.frame] = known
    return known


def is_module_class(interp: Interpreter, cls: Value) -> bool:
    """Whether a class is an ``nn.Module``."""
    if not isinstance(cls, Class):
        return isinstance(cls, External) and is_module_name(cls.name)
    known = interp.library.module_classes.get(cls.frame)
    if known is None:
        known = any(is_module_name(name) for name in external_bases(interp, cls))
        interp.library.module_classes[cls.frame] = known
    return known


def has_strange_base(interp: Interpreter, cls: Class) -> bool:
    """Whether a class has methods that nobody here knows, which may move what its objects hold, as a module's do."""
    if not all(map(names.is_harmless, external_bases(interp, cls))):
        return True
    return any(isinstance(base, Unknown) for each in classes.linearise(cls) for base in each.bases)


#: Packages whose classes are modules.
_OF_MODULES = tuple(
    "torchvision.models torchvision.ops torchmetrics. torch.nn.modules torch_geometric.nn.aggr torch_geometric.nn.conv "
    "torch_geometric.nn.dense torch_geometric.nn.models torch_geometric.nn.norm".split()
)


def is_module_name(name: str) -> bool:
    """Whether the class of that canonical name is an ``nn.Module``."""
    if name in MODULE_BASES:
        return True
    package, _, last = name.rpartition(".")
    if package in ("torch.nn", "torch_geometric.nn", "torchmetrics") or package.startswith(_OF_MODULES):
        return last.lstrip("_")[:1].isupper() and not last.endswith("Loader")
    return package.startswith(("transformers", "diffusers")) and _PRETRAINED.match(last) is not None


def is_module(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a reference to a module object."""
    obj = interp.obj_of(value)
    if obj is None:
        return False
    if obj.kind == "module":
        return True
    return obj.kind == "instance" and is_module_class(interp, obj.cls)


def remember(interp: Interpreter, value: Value, site: Origin) -> None:
    """Write into the life of a module or another object of the project that it passed ``site``."""
    obj = interp.obj_of(value)
    if obj is None or not isinstance(value, Ref) or obj.kind not in ("instance", "module"):
        return
    if site not in obj.trail:
        # Not an update: the object is what it was, and only what is told of it grows.
        interp.state.write(value.address, replace(obj, trail=extend(obj.trail, site, OF_OBJECT)))


def collect(interp: Interpreter, value: Value, node: ast.AST | None) -> None:
    """Write into the life of a module that a call elsewhere made that it came here, to be one of several."""
    if not isinstance(value, Ref) or not isinstance(node, ast.Call) or not is_module(interp, value):
        return
    site = interp.site("collected", node)
    born = interp.obj(value).trail[:1]
    if born and (born[0].path, born[0].span) != (site.path, site.span):
        remember(interp, value, site)


def children(interp: Interpreter, ref: Ref) -> Iterator[Ref]:
    """The registered submodules of a module, direct ones only."""
    for value in _held(interp.obj(ref)):
        kind = value.__class__
        if kind is Ref or kind is Union:
            for member in members(value):
                if isinstance(member, Ref) and is_module(interp, member):
                    yield member


def _held(obj: Obj) -> Collection[Value]:
    """All that an object registers: what its attributes are, and then its items."""
    held = hidden_modules.registered(obj) if obj.facts else obj.attrs.values()
    if not obj.items and obj.element is None:
        return held
    further = () if obj.element is None else (obj.element,)
    return (*held, *(obj.items or ()), *further)


def tree(interp: Interpreter, ref: Ref) -> list[Ref]:
    """The module and all its registered submodules, each once."""
    return list(_each_module(interp, ref))


def _each_module(interp: Interpreter, ref: Ref) -> Iterator[Ref]:
    seen: set[int] = set()
    pending = [ref]
    while pending:
        current = pending.pop()
        if current.address not in seen:
            seen.add(current.address)
            yield current
            pending.extend(children(interp, current))


def registered(obj: Obj) -> Iterator[tuple[str, Tensor]]:
    """The parameters and buffers of one module, without its children's."""
    if obj.place is not None:
        yield "", obj.place
    for name, value in obj.attrs.items():
        kind = value.__class__
        if (kind is Tensor or kind is Union) and not hidden_modules.is_hidden(obj, name):
            for member in members(value):  # None or a parameter, say
                if isinstance(member, Tensor) and (member.parameter or name in obj.buffers):
                    yield name, member
    if obj.items or obj.element is not None:
        for part in (*(obj.items or ()), obj.element):  # those of a ParameterList
            if part is not None:
                yield from (("", member) for member in members(part) if isinstance(member, Tensor))


def tensors(interp: Interpreter, ref: Ref) -> list[Tensor]:
    """All parameters and buffers of a module and its submodules."""
    return list(each_tensor(interp, ref))


def each_tensor(interp: Interpreter, ref: Ref) -> Iterator[Tensor]:
    """The same one after the other, for who may not need all."""
    return (t for part in _each_module(interp, ref) for _, t in registered(interp.obj(part)))


def module_device(interp: Interpreter, value: Value) -> Device | None:
    """The one device of all of a module's tensors; None when it is no module or has none."""
    if not isinstance(value, Ref) or not is_module(interp, value):
        return None
    devices = {tensor.device for tensor in tensors(interp, value)}
    if len(devices) == 1:
        return devices.pop()
    return UNKNOWN_DEVICE if devices else None


def is_on_accelerator(interp: Interpreter, value: Value) -> bool:
    """Whether all of a module's tensors are on one accelerator."""
    device = module_device(interp, value)
    return device is not None and device.is_accelerator


def first_parameter(interp: Interpreter, ref: Ref) -> Tensor | None:
    """What ``next(module.parameters())`` gives: the module's own come first, then its children's."""
    own = _own_parameter(interp.obj(ref))
    if own is not None:
        return own
    seen = {ref.address}
    pending = [children(interp, ref)]
    while pending:
        current = next(pending[-1], None)
        if current is None:
            pending.pop()
            continue
        if current.address in seen:
            continue
        seen.add(current.address)
        own = _own_parameter(interp.obj(current))
        if own is not None:
            return own
        pending.append(children(interp, current))
    return None


def _own_parameter(obj: Obj) -> Tensor | None:
    """The first parameter of a module that is none of its children's."""
    if obj.place is not None and obj.place.parameter:
        return obj.place
    if not _may_hold_tensors(obj):
        return None
    return next((tensor for _, tensor in registered(obj) if tensor.parameter), None)


#: What a parameter is stored as.
_MAY_BE_TENSOR = frozenset({Tensor, Union})


def _may_hold_tensors(obj: Obj) -> bool:
    """Whether an object may register tensors beside those that a layer's description stands for; most hold none."""
    return not _MAY_BE_TENSOR.isdisjoint(map(type, _held(obj)))


def place_of_all(interp: Interpreter, ref: Ref, place: Tensor) -> Tensor:
    """Where a module is whose code is not here: unknown once a part of it was moved by itself."""
    parts = (interp.obj(part) for part in tree(interp, ref) if part != ref)
    apart = any(p.cls == UNKNOWN and p.place is not None and p.place.device != place.device for p in parts)
    return replace(place, device=UNKNOWN_DEVICE) if apart else place


def transform(interp: Interpreter, ref: Ref, change: Callable[[Tensor], Tensor]) -> None:
    """What ``Module._apply`` does: change every registered tensor, in place, keeping identity."""
    for part in tree(interp, ref):
        transform_one(interp, part, change)


def transform_one(interp: Interpreter, ref: Ref, change: Callable[[Tensor], Tensor]) -> None:
    """Change the parameters and buffers of one module, without its children's."""
    obj = interp.obj(ref)
    names = {name for name, _ in registered(obj)}
    tuples = {name for name, value in obj.attrs.items() if isinstance(value, TupleValue)}
    if not names and not tuples and obj.items is None and obj.element is None:
        interp.update(ref, obj)
        return
    attrs = dict(obj.attrs)
    for name in names - {""}:
        attrs[name] = _changed(attrs[name], change)
    for name in tuples:  # a parameter is the same object where else it is kept
        kept = reach.within(attrs[name])
        attrs[name] = TupleValue(
            tuple(_changed(each, change) if _is_parameter(each) else each for each in kept)
        )
    place = change(obj.place) if obj.place is not None else None
    items = obj.items and tuple(_changed(item, change) for item in obj.items)
    element = _changed(obj.element, change) if obj.element is not None else None
    interp.update(ref, replace(obj, attrs=attrs, place=place, items=items, element=element))


def _changed(value: Value, change: Callable[[Tensor], Tensor]) -> Value:
    """A tensor changed, also where it is one of several, such as a parameter or None; anything else as it is."""
    if isinstance(value, Union):
        return Union(tuple(_changed(member, change) for member in value.members))
    return change(value) if isinstance(value, Tensor) else value


def _is_parameter(value: Value) -> bool:
    return isinstance(value, Tensor) and value.parameter


def forget_where(interp: Interpreter, ref: Ref) -> None:
    """Forget where a module is that is now here and now there."""
    transform(interp, ref, lambda tensor: replace(tensor, device=UNKNOWN_DEVICE))


def havoc(interp: Interpreter, value: Value, *, everything: bool = False) -> None:
    """Forget where a module lives: it was handed to code that may do anything with it.

    With ``everything``, forget what all objects within reach hold. Where a program has just been given
    its device, nobody else moves a module.
    """
    adopts = interp.program.adopts
    for ref, obj in reach.objects(interp, value):
        current = obj
        if is_module(interp, ref):
            current = (obj if adopts else _forgotten(obj)).with_fact(HANDED_OUT, TRUE)
            interp.update(ref, current)
            if adopts:
                continue
        elif not adopts and (moved := _moved_by_itself(interp, obj)):
            current = own_attributes.without(obj, moved)
            interp.update(ref, current)
        if everything:
            interp.update(ref, _emptied(current))


def _moved_by_itself(interp: Interpreter, obj: Obj) -> frozenset[str]:
    """The attributes that a plain object assigns where it is moved by a method of its own."""
    if obj.kind != "instance" or not isinstance(obj.cls, Class):
        return frozenset()
    found = (classes.find(interp, obj.cls, name) for name in ("to", "cuda", "cpu"))
    methods = [
        each.node for each in found if isinstance(each, Function) and isinstance(each.node, ast.FunctionDef)
    ]
    return frozenset[str]().union(*(own_attributes.assigned_by(method) for method in methods))


def forget_parameters(interp: Interpreter, tensor: Tensor, device: Device) -> None:
    """Forget the modules whose parameters may be where ``tensor`` is: its data moved to ``device``.

    Which module a parameter in a list belongs to is not known for certain.
    """
    if not tensor.parameter or tensor.device == device:
        return
    for address, obj in reads.objects(interp):
        if obj.place is None and not _may_hold_tensors(obj):
            continue
        held = [part for _, part in registered(obj) if part.parameter and part.device != device]
        if any(part.device == tensor.device or not tensor.device.is_known for part in held):
            interp.update(Ref(address), _forgotten(obj))


#: What methods of the project that are not followed leave as it is: structure, and what was configured.
_KEPT = frozenset({Ref, Class, External, Function, BoundMethod, DeviceValue, DTypeValue, Scalar})


def _emptied(obj: Obj) -> Obj:
    """An object of which only the structure is known; itself where no more is."""
    lost = {
        name: somewhere(value) if value.__class__ is Tensor else UNKNOWN
        for name, value in obj.attrs.items()
        if value is not UNKNOWN and value.__class__ not in _KEPT
    }
    attrs = {**obj.attrs, **lost} if lost else obj.attrs
    if obj.kind == "module":
        return replace(obj, attrs=attrs) if lost else obj
    holds = obj.items is not None or obj.element is not None or obj.kind in ("list", "dict", "set")
    element = UNKNOWN if holds else None
    if not lost and obj.items is None and obj.element is element:
        return obj
    return replace(obj, attrs=attrs, items=None, element=element)


def somewhere(value: Value) -> Value:
    """A tensor of which nothing is known, in place of a tensor."""
    if not isinstance(value, Tensor):
        return value
    return replace(value, device=UNKNOWN_DEVICE, dtype=None, rank=None, grad=None, leaf=None)


def _forgotten(obj: Obj) -> Obj:
    if obj.place is None and Tensor not in map(type, _held(obj)):
        return obj
    parts = (*obj.attrs.values(), *(obj.items or ()), obj.place)
    if not any(isinstance(part, Tensor) and part.device != UNKNOWN_DEVICE for part in parts):
        return obj
    attrs = {
        name: replace(value, device=UNKNOWN_DEVICE) if isinstance(value, Tensor) else value
        for name, value in obj.attrs.items()
    }
    items = obj.items
    if items is not None:
        items = tuple(replace(v, device=UNKNOWN_DEVICE) if isinstance(v, Tensor) else v for v in items)
    place = replace(obj.place, device=UNKNOWN_DEVICE) if obj.place is not None else None
    return replace(obj, attrs=attrs, items=items, place=place)
