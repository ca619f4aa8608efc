"""Models whose code is not in the project: torchvision, timm, transformers, PyG and others.

They behave like one module with parameters of one device: made on the CPU, moved by ``to``,
called with inputs that must be where the parameters are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from devfix.analysis.deciding.answers import truth
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, CPU, FLOATS, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Class,
    Const,
    External,
    Function,
    Obj,
    Ref,
    Tensor,
    Unknown,
    Value,
)
from devfix.analysis.language import containers, unknown_code
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.devices import default_choices, grad_mode
from devfix.analysis.torch_model.libraries import (
    audio_transforms,
    box_operations,
    detection,
    generation,
    given_parts,
    known_parts,
    label_kinds,
    lightning_methods,
    metric_members,
    metrics,
    model_operands,
    model_outputs,
    model_parts,
    partial_models,
    picture_makers,
    raw_inputs,
    sentence_encoders,
    tokenizers,
    vision_layers,
)
from devfix.analysis.torch_model.modules import hooks, weights
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.arguments import device_of, dtype_of
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Functions that make a model, by the package they live in.
_MAKERS = (
    "torchvision.models",
    "timm.create_model",
    "timm.models",
    "torch.hub.load",
    "segmentation_models_pytorch",
)
#: What beside models lives in these packages: losses have no parameters, helpers make no models.
_NO_MODELS = (
    *(f"segmentation_models_pytorch.{part}." for part in ("losses", "metrics", "utils", "datasets")),
    *(f"timm.models.{part}." for part in ("helpers", "registry", "hub", "features")),
)
#: Classes among the models of torchvision that have no parameters: what codes, matches, samples and makes boxes, and mere data.
_WITHOUT_PARAMETERS = re.compile(
    r"Box(Linear)?Coder|(SSD)?Matcher|BalancedPositiveNegativeSampler|AnchorGenerator|DefaultBoxGenerator|"
    r"GeneralizedRCNNTransform|ImageList|BlockParams|\w*(Config|Outputs)"
)
#: Classes of transformers that are no models of PyTorch.
_NO_TORCH = re.compile(r"TF[A-Z]|Flax[A-Z]|\w*Config")
_LAYERS, _VISION = "timm.models.layers.", "torchvision.models."
#: Methods of classes that make a model of what was trained before, or of a configuration.
_LOADING = frozenset(
    "from_pretrained from_config from_encoder_decoder_pretrained from_vision_text_pretrained".split()
)
#: Functions that return the model they are given, with parameters added beside those it has.
_CASTING = "peft.prepare_model_for_kbit_training"
_ADAPTING = ("peft.get_peft_model", _CASTING)
#: Layers of graph libraries take (x, edge_index, ...): everything must be in one place.
_GRAPH = ("torch_geometric.nn", "dgl.nn")

#: Those that have no weights, and those that are made of other layers.
_WEIGHTLESS = frozenset(
    "APPNP APPNPConv AvgPooling InnerProductDecoder LGConv LabelPropagation MaxAggregation MaxPooling MeanAggregation "
    "MeanSubtractionNorm MedianAggregation MinAggregation MulAggregation PairNorm SimpleConv SortAggregation SortPooling "
    "StdAggregation SumAggregation SumPooling VarAggregation".split()
)
_OF_KINDS = ("HeteroGraphConv", "HeteroConv")

#: The arguments by which a model is quantised, and put on the accelerator, when it is loaded.
_QUANTIZING = ("load_in_8bit", "load_in_4bit", "quantization_config")
#: How the classes of what the last of these says are called, of which one puts the model on the accelerator by itself and keeps it
#: there. What the others quantise starts on the CPU, and can be moved.
_KEEPING = "BitsAndBytesConfig"
_QUANTIZERS = (_KEEPING, "QuantoConfig", "HqqConfig", "GPTQConfig", "AwqConfig", "TorchAoConfig")


def construct(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """A model (or another object) made by a call of ``name``; None when it is none."""
    package, _, last = name.rpartition(".")
    if last in _LOADING:
        return _from_pretrained(interp, package, site)
    if package == "transformers" and tokenizers.is_maker(last):
        return tokenizers.make(interp, name, site)
    is_class = last[:1].isupper()
    if is_class and package == "transformers" and last.endswith(_QUANTIZERS):
        return interp.new(Obj("external", External(name)))
    if partial_models.makes(name):
        return partial_models.construct(interp, name, site)
    other = box_operations.construct(interp, name, site) or picture_makers.preset(interp, name, site)
    other = other or label_kinds.config(interp, name, site)
    if other is not None:
        return other
    if _is_plain_model(name, last):
        return _model(interp, name, site)
    if name in _ADAPTING:
        return _adapted(interp, name, site.value(0, "model") or UNKNOWN)
    if name.startswith(_MAKERS) and not _is_helper(name, last):
        if package == "torchvision.models" or package.startswith(_MAKERS) or name in _MAKERS:
            return _model(interp, name, site)
    if is_class and name.startswith(_GRAPH):
        return _graph_layer(interp, name, site)
    if is_class and name.startswith("torchmetrics"):
        return metrics.construct(interp, name, site)
    if is_class and name.startswith(audio_transforms.PACKAGE):
        return audio_transforms.construct(interp, name, site)
    return None


def _adapted(interp: Interpreter, name: str, model: Value) -> Value:
    """The model that such a function is given; one of them casts what is no quantised weight to float32."""
    if name == _CASTING and isinstance(model, Ref):
        modules.transform(interp, model, lambda tensor: replace(tensor, dtype=None, typed=()))
    return model


def _is_plain_model(name: str, last: str) -> bool:
    """Whether a name is that of a layer of torchvision with weights, or of the class of a model."""
    if vision_layers.is_layer(name):
        return True
    of_library = last[:1].isupper() and name.startswith(("transformers.", "diffusers."))
    return of_library and modules.is_module_name(name)


def _graph_layer(interp: Interpreter, name: str, site: CallSite) -> Ref:
    """A layer of a graph library; where it has no weights of its own, nothing has to be where it is."""
    last = name.rpartition(".")[2]
    without = all(site.value(None, each) == FALSE for each in ("weight", "bias"))
    if without or last in _WEIGHTLESS or _holds_strangers(interp, last, site):
        return interp.new(Obj("module", External(name), trail=(interp.site("module", site.node),)))
    return _model(interp, name, site)


def _holds_strangers(interp: Interpreter, last: str, site: CallSite) -> bool:
    """Whether a layer is made of others for each kind of edge, and one of these has no weights that are known."""
    held = interp.obj_of(site.value(0, "mods", "convs")) if last in _OF_KINDS else None
    parts = containers.everything(held) if held is not None else []
    return any(modules.module_device(interp, part) is None for part in parts)


def _is_helper(name: str, last: str) -> bool:
    """Whether a name of a package of models is none: a loss, a set of weights, a function for authors of models."""
    functions = (name.startswith(_LAYERS) or "._" in name) and last[:1].islower()
    bare = name.startswith(_VISION) and _WITHOUT_PARAMETERS.fullmatch(last)
    return functions or bool(bare) or name.startswith(_NO_MODELS) or "Weights" in name or last.startswith("_")


def _parameter(interp: Interpreter, site: CallSite) -> Tensor:
    default_choices.note_made(interp, site.node)
    trail = (interp.site("module", site.node),)
    return Tensor(dtype=None, rank=AT_LEAST_1, parameter=True, grad=True, leaf=True, trail=trail)


def _model(interp: Interpreter, name: str, site: CallSite) -> Ref:
    place = replace(_parameter(interp, site), dtype="float32")
    held = dict(given_parts.held(interp, name, site)) | label_kinds.kept(interp, name, site)
    facts = vision_layers.facts(name, site)
    return interp.new(Obj("module", External(name), attrs=held, place=place, facts=facts, trail=place.trail))


def _from_pretrained(interp: Interpreter, owner: str, site: CallSite) -> Value:
    last = owner.rpartition(".")[2]
    if tokenizers.is_maker(last):
        return tokenizers.make(interp, owner, site)
    base = site.value(0, "model")
    if owner.startswith("peft") and isinstance(base, Ref):
        return base  # its adapters are added to a model that is there
    if (told := label_kinds.config(interp, owner, site)) is not None:
        return told
    if not owner.startswith(("transformers", "diffusers", "peft")) or _NO_TORCH.match(last):
        return UNKNOWN
    if owner.startswith("diffusers") and last.endswith("Scheduler"):
        # It has no parameters, and computes where its inputs are.
        return UNKNOWN
    place = replace(_parameter(interp, site), dtype=dtype_of(site.value(None, "torch_dtype", "dtype")))
    kept = label_kinds.kept(interp, owner, site)
    obj = Obj("module", External(owner), attrs=kept, place=place, trail=place.trail)
    if site.value(None, "trust_remote_code") not in (None, FALSE):
        obj = obj.with_fact(generation.FOREIGN, TRUE)
    mapped = site.keywords.get("device_map")
    quantized = [_is_true(interp, site.value(None, name)) for name in _QUANTIZING]
    if True in quantized or None in quantized:
        place = replace(place, dtype=None)  # which then tells in what it computes
        obj = replace(obj, place=place)
    if mapped is not None and mapped.value != NONE:
        single = device_of(mapped.value) if isinstance(mapped.value, Const) else None
        known = single is not None and single.is_known
        obj = replace(obj, place=replace(place, device=single if known and single else UNKNOWN_DEVICE))
        obj = obj.with_fact("dispatched", mapped.value)
    elif True in quantized:
        obj = replace(obj, place=replace(place, device=ACCELERATOR)).with_fact(
            "dispatched", Const("quantized")
        )
    elif None in quantized:
        obj = replace(obj, place=replace(place, device=UNKNOWN_DEVICE))  # where it is not, it can be moved
    return interp.new(obj)


def _is_true(interp: Interpreter, value: Value | None) -> bool | None:
    """Whether an argument has the model quantised where it must stay; None where nobody knows."""
    if value is None or not isinstance(value, Ref):
        return False if value is None else truth(interp, value)
    of_class = interp.obj(value).cls
    return (isinstance(of_class, External) and of_class.name.endswith(_KEEPING)) or None


def call(
    interp: Interpreter, ref: Ref, place: Tensor, site: CallSite, callee: ast.expr | None = None
) -> Value:
    """Calling such a model: all tensors among the arguments meet its parameters."""
    obj = interp.obj(ref)
    place = modules.place_of_all(interp, ref, place)
    name = getattr(obj.cls, "name", "") or "torch.nn.Module"
    if known_parts.may_be_method(obj):
        return UNKNOWN
    if sentence_encoders.is_one(obj) or (name.startswith("diffusers") and "Pipeline" in name):
        # It moves what it is given, and makes pictures.
        return UNKNOWN
    if callee is None and isinstance(site.node, ast.Call):
        callee = site.node.func
    parts = model_operands.of(interp, obj, name, site)
    if metrics.is_metric(obj):
        return metrics.call(interp, ref, place, parts, site, callee)
    if "dispatched" not in obj.facts:
        weight, detail = weights.operand(interp, ref, place, parts, callee)
        device = requirements.meet(interp, site.node, name, [*parts, weight], scalars=False, detail=detail)
        _check_dtypes(interp, obj, name, parts, weight, site)
        _meet_replaced(interp, ref, place, site)
    else:
        device = _of_dispatched(place, parts)
    trail, grad = (interp.site("result", site.node),), grad_mode.recorded(interp, True)
    dtype = vision_layers.dtype(interp, ref, place, parts)
    result = Tensor(device, dtype, AT_LEAST_1, grad=grad, leaf=grad_mode.is_leaf(grad), trail=trail)
    result = model_parts.answered(interp, obj, place, parts, result)
    if not _show_parts(interp, ref, parts, result, site):
        return UNKNOWN
    if name in model_operands.MAPPING:
        return interp.new(Obj("dict", element=result))
    label_kinds.check(interp, obj, parts, result, site)
    if model_outputs.answers(obj):
        return model_outputs.make(interp, result, model_outputs.dtype_of_states(obj, place.dtype))
    if name.startswith(detection.PACKAGE):
        return detection.output(interp, obj, device, site)
    return result


def _of_dispatched(place: Tensor, parts: list[Part]) -> Device:
    """Where a model answers whose parts may be in several places: where the inputs are that have to be beside its first one."""
    given = {part.tensor.device for part in parts}
    if place.device.is_known or given != {ACCELERATOR}:
        return place.device
    return ACCELERATOR


def _check_dtypes(
    interp: Interpreter, obj: Obj, name: str, parts: list[Part], weight: Part, site: CallSite
) -> None:
    """Pictures, and what stands for embedded tokens, have the dtype of the weights where the first layer takes them as they are."""
    if model_outputs.answers(obj):
        embedded = raw_inputs.embedded(obj, parts, weight) + raw_inputs.among(obj, parts)
        taken = [part for part in embedded if part.tensor.dtype in FLOATS]
    else:
        taken = vision_layers.taken(interp, obj, parts)
    requirements.same_dtype(interp, site.node, name, [*taken, weight])


def _check_generated_from(interp: Interpreter, ref: Ref, obj: Obj, place: Tensor, site: CallSite) -> None:
    """What ``generate`` is given comes to the first layer as it is, too; where it has to be depends on the model."""
    called = getattr(obj.cls, "name", "")
    given = model_operands.of(interp, obj, called, site)
    taken, encoded = raw_inputs.among(obj, given), generation.encoded(obj, given)
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    model = callee.value if isinstance(callee, ast.Attribute) else None
    if counted := generation.counted(obj, place, given):
        requirements.meet(interp, site.node, called, counted, scalars=False)
    if taken or encoded:
        weight, detail = weights.operand(interp, ref, place, taken + encoded, model)
        requirements.meet(interp, site.node, called, [*encoded, weight], scalars=False, detail=detail)
        _check_dtypes(interp, obj, called, taken, weight, site)


def _show_parts(interp: Interpreter, ref: Ref, given: list[Part], result: Tensor, site: CallSite) -> bool:
    """Let the hooks of a model's parts see something that is where the model computes; whether they leave it as it is."""
    unchanged = True
    for part in modules.tree(interp, ref):
        if isinstance((obj := interp.obj(part)).cls, Unknown):
            made = model_parts.shown(obj, given, result)
            unchanged &= hooks.after_forward(interp, part, CallSite(site.node, (Arg(made),)), made) == made
    return unchanged


def _meet_replaced(interp: Interpreter, ref: Ref, place: Tensor, site: CallSite) -> None:
    """A part that the program gave the model, a head of its own say, meets what the others make."""
    for part in _replaced(interp, ref, set()) if place.device.is_accelerator else ():
        if _is_run(interp, part, place, site):
            continue
        own = modules.first_parameter(interp, part)
        if own is not None and own.device == CPU:
            name = getattr(interp.obj(part).cls, "name", "") or "torch.nn.Module"
            features = Part(replace(place, parameter=False), "input", site.node)
            weight, detail = weights.operand(interp, part, own, [features], None)
            requirements.meet(interp, site.node, name, [features, weight], scalars=False, detail=detail)


def _is_run(interp: Interpreter, part: Ref, place: Tensor, site: CallSite) -> bool:
    """Whether the program tells what a part does; then that is done, where some of it is elsewhere, with what the others make."""
    cls = interp.obj(part).cls
    forward = classes.find(interp, cls, "forward") if isinstance(cls, Class) else None
    if not isinstance(forward, Function):
        return False
    if any(tensor.device == CPU for tensor in modules.tensors(interp, part)):
        features = Tensor(place.device, None, AT_LEAST_1, grad=True, leaf=False)
        needed = len(forward.node.args.args) - len(forward.defaults) - 2
        interp.call(part, CallSite(site.node, (Arg(features), *(Arg(UNKNOWN) for _ in range(needed)))))
    return True


def _replaced(interp: Interpreter, ref: Ref, seen: set[Ref]) -> Iterator[Ref]:
    """The parts of a model, or of its own parts, whose class is known, which is that of what the program put there."""
    seen.add(ref)
    for part in modules.children(interp, ref):
        if part in seen:
            continue
        if isinstance(interp.obj(part).cls, Unknown):
            yield from _replaced(interp, part, seen)
        else:
            yield part


def method(interp: Interpreter, ref: Ref, name: str, site: CallSite) -> Value:
    """A method that ``nn.Module`` does not have, of a model from outside the project."""
    obj = interp.obj(ref)
    of_lightning = lightning_methods.call(interp, ref, name, site)
    if of_lightning is not None:
        return of_lightning
    if sentence_encoders.is_one(obj):
        return sentence_encoders.method(interp, obj, name, site)
    if name in model_parts.GETTERS and model_outputs.answers(obj):
        return model_parts.part(interp, ref, obj, name)
    if name == "generate" and obj.place is not None:
        _check_generated_from(interp, ref, obj, obj.place, site)
        return generation.generate(interp, obj, obj.place, site)
    if name.startswith("enable_") and name.endswith("_offload"):
        modules.havoc(interp, ref)  # from here on its parts are taken to where they are needed
        return NONE
    if name in ("train_dataloader", "log", "log_dict", "print", "save_pretrained", "manual_backward"):
        return UNKNOWN
    if name == "add_state":
        metric_members.add_state(interp, ref, site)
        return NONE
    if metrics.is_metric(obj):
        found = metrics.method(interp, obj, name, site)
        if found is None and obj.place is not None:
            return call(interp, ref, obj.place, site, metrics.receiver(site))
        return found or UNKNOWN
    features = name.startswith(("encode", "forward_features", "embed")) or name.endswith("_features")
    if obj.kind == "module" and features and obj.place is not None:
        return call(interp, ref, obj.place, site)
    if obj.kind == "module":
        return UNKNOWN
    return unknown_code.call(interp, replace(site, args=tuple(a for a in site.args if a.value != ref)))
