"""Layers of ``torch.nn``: what constructing them makes and what calling them asks for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import AT_LEAST_1, FLOATS, UNKNOWN_DEVICE
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    External,
    Obj,
    Ref,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import iteration, list_places
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.devices import (
    autocast,
    default_choices,
    device_strings,
    grad_mode,
    scattering,
)
from devfix.analysis.torch_model.libraries import (
    audio_transforms,
    box_operations,
    metrics,
    partial_models,
    pretrained,
)
from devfix.analysis.torch_model.loading import strangers
from devfix.analysis.torch_model.modules import (
    inner_methods,
    lent_parameters,
    norms,
    recurrent_states,
    reparametrizations,
    weights,
)
from devfix.analysis.torch_model.modules.layer_specs import DATA, WEIGHTED, LayerSpec
from devfix.analysis.torch_model.tensors import (
    causal_masks,
    float_operations,
    index_types,
    losses,
    maxima,
    number_range,
    operand_types,
    operations,
    ranks,
    requirements,
)
from devfix.analysis.torch_model.tensors.arguments import default_device, dtype_of
from devfix.analysis.torch_model.tensors.specs import Op
from devfix.analysis.torch_model.training import averages

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: Modules that hold others.
CONTAINERS = frozenset({"Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"})
#: Modules that hold copies of one.
STACKS = frozenset({"TransformerEncoder", "TransformerDecoder"})
#: The fact of a module that keeps a number, which it writes into what it makes.
_NUMBER = "number"
#: Modules that wrap one and move or scatter the inputs themselves.
WRAPPERS = frozenset({"DataParallel", "DistributedDataParallel"})


def construct(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """An object of a class from outside the project, when it is a module; else None."""
    package, _, last = name.rpartition(".")
    if package in ("torch.nn", "torch.nn.parallel", "torch.nn.utils"):
        return _torch_module(interp, name, last, site)
    if package in ("torch.nn.Embedding", "torch.nn.EmbeddingBag") and last == "from_pretrained":
        return _table(interp, package, site)
    return pretrained.construct(interp, name, site)


def _torch_module(interp: Interpreter, name: str, last: str, site: CallSite) -> Value | None:
    if not last[:1].isupper():
        return None
    trail = (interp.site("module", site.node),)
    cls = External(name)
    if last in CONTAINERS:
        ref = interp.new(Obj("module", cls, items=(), trail=trail))
        fill_container(interp, ref, site)
        lent_parameters.note(interp, ref, site)
        return ref
    if last in WRAPPERS:
        return _wrapper(interp, cls, site)
    if last in losses.CRITERIA:
        ref = interp.new(Obj("module", cls, trail=trail))
        fill_criterion(interp, ref, last, site)
        return ref
    place = norms.own(last, site, parameter(interp, site)) if last in WEIGHTED else None
    obj = Obj("module", cls, place=place, trail=trail)
    if last in ("LSTM", "GRU", "RNN") or "Transformer" in last:
        obj = obj.with_fact("kind", External(last))
    obj = maxima.built(last, causal_masks.built(last, obj, site), site)
    number = site.value(*number_range.KEEPING[last]) if last in number_range.KEEPING else None
    if number is not None:
        obj = obj.with_fact(_NUMBER, number)
    return interp.new(_stacked(interp, obj, site) if last in STACKS else obj)


def _stacked(interp: Interpreter, obj: Obj, site: CallSite) -> Obj:
    """A stack of copies of a layer is where the layer is; the norm behind them is the one that is given."""
    copied = site.value(0, "encoder_layer", "decoder_layer")
    if isinstance(copied, Ref) and obj.place is not None:
        home = modules.first_parameter(interp, copied)
        device, dtype = (UNKNOWN_DEVICE, None) if home is None else (home.device, home.dtype)
        obj = replace(obj, place=replace(obj.place, device=device, dtype=dtype)).with_attr("layers", copied)
    if site.open:
        return obj
    given = site.get(2, "norm")
    return obj.with_attr("norm", given.value if given is not None else NONE)


def _table(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``nn.Embedding.from_pretrained(vectors)``: the weight is where the vectors are."""
    place, vectors = parameter(interp, site), site.value(0, "embeddings")
    if isinstance(vectors, Tensor):
        place = replace(place, device=vectors.device, dtype=vectors.dtype)
    return interp.new(Obj("module", External(name), place=place, trail=place.trail))


def parameter(interp: Interpreter, site: CallSite) -> Tensor:
    """A typical parameter of a layer made by this call."""
    asked = device_strings.asked(interp, site, None, "device")
    if asked in (None, UNKNOWN_DEVICE):
        default_choices.note_made(interp, site.node)
    device = asked or default_device(interp)
    given = site.keywords.get("dtype")
    dtype = dtype_of(given.value) if given is not None and given.value != NONE else "float32"
    trail = (interp.site("module", site.node),)
    return Tensor(device, dtype, AT_LEAST_1, parameter=True, grad=True, leaf=True, trail=trail)


def fill_container(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``Sequential(*modules)``, ``ModuleList(modules)``, ``ModuleDict(mapping)``."""
    obj, grew = interp.obj(ref), False
    values = tuple(arg.value for arg in site.args)
    if len(values) == 1 and not modules.is_module(interp, values[0]):
        inner = interp.obj_of(values[0])
        if inner is not None and inner.kind == "dict":
            interp.update(ref, replace(obj, attrs={**obj.attrs, **inner.attrs}, element=inner.element))
            return
        held = iteration.followed_items(interp, values[0])
        grew = iteration.has_grown(interp, values[0])
        if held is not None:
            values = _without_names(held)
        else:
            element = iteration.element(interp, values[0], site.args[0].node)
            interp.update(ref, replace(obj, items=None, element=_without_names((element,))[0]))
            return
    grew = grew or site.followed
    if site.open and not grew:
        known = [value for value in values if all(modules.is_module(interp, m) for m in members(value))]
        interp.update(ref, replace(obj, items=None, element=known[-1] if known else UNKNOWN))
        return
    filled = replace(obj, items=(*(obj.items or ()), *values))
    interp.update(ref, list_places.grown(filled, 1) if grew else filled)


def _without_names(values: tuple[Value, ...]) -> tuple[Value, ...]:
    """``OrderedDict([("fc", nn.Linear(...))])`` comes as pairs."""
    return tuple(v.items[1] if isinstance(v, TupleValue) and len(v.items) == 2 else v for v in values)


def fill_criterion(interp: Interpreter, ref: Ref, last: str, site: CallSite) -> None:
    """Tensors given to a loss become its buffers; remember how they were written."""
    _, buffers = losses.CRITERIA[last]
    obj = interp.obj(ref)
    for name in buffers:
        arg = site.get(0 if name == "weight" else None, name)
        value = without_none(arg.value) if arg is not None else None
        if arg is not None and arg.node is not None and isinstance(value, Tensor):
            stored = value.at(interp.site("argument", arg.node))
            obj = replace(obj.with_attr(name, stored), buffers=obj.buffers | {name})
    reduction = site.value(None, "reduction")
    if reduction is not None:
        obj = obj.with_fact("reduction", reduction)
    interp.update(ref, obj)


def _wrapper(interp: Interpreter, cls: External, site: CallSite) -> Value:
    inner = site.value(0, "module")
    if isinstance(inner, Union):
        return interp.either(
            inner.members, lambda member: _wrap(interp, cls, member, site), usual=inner.usual
        )
    return _wrap(interp, cls, inner, site)


def _wrap(interp: Interpreter, cls: External, inner: Value | None, site: CallSite) -> Value:
    if not isinstance(inner, Ref):
        return UNKNOWN
    # What is distributed has to be on its device already: not the wrapper moves, but what it wraps.
    distributed = cls.name.endswith("DistributedDataParallel")
    trail = interp.obj(inner).trail if distributed else (interp.site("module", site.node),)
    obj = Obj("module", cls, attrs={"module": inner}, trail=trail)
    return interp.new(obj.with_facts(scattering.facts(cls.name, inner, site)))


def fill_wrapper(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``DataParallel.__init__(self, module)`` of a class that derives from it."""
    inner = site.value(0, "module")
    if isinstance(inner, Ref):
        interp.update(ref, interp.obj(ref).with_attr("module", inner).with_fact("wrapped", inner))


def call(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """Calling a module whose ``forward`` is not in the project."""
    obj = interp.obj(ref)
    if reparametrizations.NAME in obj.attrs:
        reparametrizations.compute(interp, ref, site.node)
    if obj.cls == averages.CLASS:
        return interp.call(obj.attrs["module"], site)
    if partial_models.is_one(obj):
        return partial_models.call(interp, obj, site)
    if audio_transforms.is_one(obj):
        return audio_transforms.call(interp, ref, obj, site)
    made = box_operations.applied(interp, obj, site) or metrics.forward(interp, ref, site)
    if made is not None:
        return made
    name = layer_name(interp, obj.cls)
    if name in ("Sequential", "ModuleList"):
        return _chain(interp, ref, site)
    if name in WRAPPERS:
        return scattering.call(interp, ref, site)
    if name in losses.CRITERIA:
        return _criterion(interp, ref, name, site)
    if inner_methods.are_overridden(interp, name, obj.cls):
        return UNKNOWN
    if name in WEIGHTED and obj.place is not None:
        return weighted(interp, ref, name, obj.place, site)
    if obj.place is not None:
        return pretrained.call(interp, ref, obj.place, site)
    if _NUMBER in obj.facts:
        number_range.check_kept(interp, name, site, obj.facts[_NUMBER])
    return _stateless(interp, obj, name, site)


def layer_name(interp: Interpreter, cls: Value) -> str:
    """The name of the ``torch.nn`` class that an object's class is or descends from."""
    for base in modules.external_bases(interp, cls):
        package, _, last = base.rpartition(".")
        if package.startswith("torch.nn"):
            return last
    return ""


def _chain(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    obj = interp.obj(ref)
    steps = list(obj.items or ()) + [v for v in obj.attrs.values() if modules.is_module(interp, v)]
    value = site.args[0].value if site.args else UNKNOWN
    node = site.args[0].node if site.args else None
    for step in steps:
        value = interp.call(step, CallSite(site.node, (Arg(value, node),)))
    return value if obj.element is None else _in_any_order(interp, members(obj.element), value, node, site)


def _in_any_order(
    interp: Interpreter, steps: tuple[Value, ...], value: Value, node: ast.expr | None, site: CallSite
) -> Value:
    """Layers of a list that grew in loops: each has its turn, and what it is given then is where the input is.

    No layer of torch's makes other floats of those it is given; one of the project's may. Of an input of which nothing is
    known a layer with weights makes something that is where they are, and the others leave that where it is.
    """
    if isinstance(value, Tensor) and len(steps) > 1:
        keeps = value.dtype in FLOATS and all(_is_of_torch(interp, step) for step in steps)
        value = replace(value, dtype=value.dtype if keeps else None, rank=None)
    given = CallSite(site.node, (Arg(value, node),))
    results = [interp.call(step, given) for step in steps]
    if isinstance(value, Unknown) and all(_is_of_torch(interp, step) for step in steps):
        made = [replace(result, rank=None) for result in results if isinstance(result, Tensor)]
        return join_all(list(made)) if made else UNKNOWN
    return join_all(results)


def _is_of_torch(interp: Interpreter, step: Value) -> bool:
    obj = interp.obj_of(step)
    return obj is not None and isinstance(obj.cls, External) and bool(layer_name(interp, obj.cls))


def _criterion(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    obj = interp.obj(ref)
    function, names = losses.CRITERIA[name]
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    buffers = {n: Arg(obj.attrs[n], callee) for n in names if n in obj.attrs}
    result = losses.apply(interp, function, site, buffers)
    if isinstance(result, Tensor) and obj.facts.get("reduction") is not None:
        if obj.facts["reduction"] != NONE and str(getattr(obj.facts["reduction"], "value", "")) == "none":
            result = replace(result, rank=AT_LEAST_1)
    return result


def weighted(interp: Interpreter, ref: Ref, name: str, place: Tensor, site: CallSite) -> Value:
    """A layer with parameters: its inputs and its weight meet."""
    spec = WEIGHTED[name]
    parts, _ = operations.parts_of(
        interp, Op(spec.inputs), recurrent_states.flattened(interp, spec, name, place, site)
    )
    parts += strangers.parts(interp, spec.inputs[:1], site)
    whole = {
        id(arg.node) for arg in site.all_args() if not isinstance(without_none(arg.value), (Tensor, Unknown))
    }
    parts = [replace(part, held=part.held or id(part.node) in whole) for part in parts]
    full = f"torch.nn.{name}"
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    weight, detail = weights.operand(interp, ref, place, parts, callee)
    first = parts[0].tensor if parts else None
    if spec.index:
        parts = index_types.check(interp, site.node, full, parts, spec.inputs[:1])
        operand_types.check_bag_weights(interp, site.node, full, parts, weight)
    if spec.strict or spec.normalised:
        data = [part for part in parts if part.role in DATA]
        requirements.same_dtype(interp, site.node, full, [*data, weight])
    norm, dtype = norms.NORMS.get(name), place.dtype
    if norm is not None and parts:
        met = norms.met(interp, site.node, full, norm, parts[0], weight if place.parameter else None)
        dtype = dtype if interp.autocast else met
    operand_types.check_attention_masks(interp, site.node, full, parts)
    together = causal_masks.compared(interp, ref, name, parts, site)
    device = requirements.meet(interp, site.node, full, [*together, weight], scalars=False, detail=detail)
    if not parts:
        device = place.device
    rank = ranks.of_layer(name, first.rank if first is not None else None)
    tensors = [part.tensor for part in parts] or [place]
    result = operations.derived(interp, tensors, site, dtype, rank, device)
    if place.parameter:
        result = replace(result, grad=grad_mode.recorded(interp, grad=True))
    if interp.autocast and not spec.index and name != "LayerNorm":
        dtype = autocast.lowered(interp, place.dtype, name.lower(), [place]) if spec.strict else None
        # What autocast chose comes from no operand.
        result = replace(result, dtype=dtype, typed=result.typed if dtype == result.dtype else ())
    return _packaged(spec, name, result, packed=first is not None and first.packed)


def _packaged(spec: LayerSpec, name: str, result: Tensor, *, packed: bool) -> Value:
    if spec.recurrent:
        state: Value = TupleValue((result, result)) if name == "LSTM" else result
        return TupleValue((replace(result, packed=True) if packed else result, state))
    if name == "AdaptiveLogSoftmaxWithLoss":
        return TupleValue((replace(result, rank=1), replace(result, rank=0)), ("output", "loss"))
    return TupleValue((result, result)) if spec.attention or name == "LSTMCell" else result


def is_stateless(interp: Interpreter, obj: Obj) -> bool:
    """Whether it is nothing but a layer of torch's that has no weights."""
    name = layer_name(interp, obj.cls) if isinstance(obj.cls, External) else ""
    others = name in WEIGHTED or name in CONTAINERS or name in WRAPPERS or name in losses.CRITERIA
    return name not in ("", "Module") and not others and obj.place is None and obj.element is None


def _stateless(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    """Activations, pooling, dropout: one tensor in, one of the same place out."""
    value = operand_types.tensor_of(interp, site.args[0].value) if site.args else UNKNOWN
    if not isinstance(value, Tensor):
        return UNKNOWN
    if name in ("CosineSimilarity", "PairwiseDistance") and len(site.args) > 1:
        return operations.apply(interp, float_operations.of_layer(name), site) or UNKNOWN
    float_operations.check_layer(interp, name, value, site)
    rank = value.rank if value.rank in (None, 0) or name not in ("Flatten", "Unflatten") else AT_LEAST_1
    norm, dtype = norms.NORMS.get(name), float_operations.dtype_of_layer(name, value.dtype)
    result = operations.derived(interp, [value], site, dtype, rank)
    widened = autocast.widened(interp, name if norm is None else norm.function, result)
    return maxima.of_module(obj, widened)
