"""Attributes of tensors, arrays, devices and of objects from outside the project."""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from devfix.analysis.deciding import asked_places
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, COMPLEX, CPU, FLOATS, REAL_OF
from devfix.analysis.domain.values import (
    FALSE,
    TRUE,
    UNKNOWN,
    Array,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    External,
    ExternalMethod,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Unknown,
    Value,
)
from devfix.analysis.nn.modules import external_bases, is_module, module_device
from devfix.analysis.record.trails import part_of_complex, roots_of_host
from devfix.analysis.text import counts, own_attributes
from devfix.analysis.torch_model import external_objects
from devfix.analysis.torch_model.arrays.numpy_types import settled
from devfix.analysis.torch_model.libraries import known_parts, model_parts
from devfix.analysis.torch_model.modules import reparametrizations
from devfix.analysis.torch_model.tensors import leaves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def get(interp: Interpreter, value: Tensor | Array | DeviceValue, name: str, node: ast.expr) -> Value | None:
    """The value of a data attribute, or None when ``name`` is a method (or unheard of)."""
    if isinstance(value, DeviceValue):
        return _device_attribute(interp, value, name)
    if isinstance(value, Array):
        return _array_attribute(value, name)
    return _tensor_attribute(interp, value, name, node)


def _device_attribute(interp: Interpreter, value: DeviceValue, name: str) -> Value | None:
    if name == "type":
        if value.device.is_accelerator or asked_places.are_judged(interp, value.device):
            return Const("cuda")
        return Const("cpu") if value.device.kind == "cpu" else Scalar("str")
    if name == "index":
        return Scalar("int")
    return None


def _array_attribute(value: Array, name: str) -> Value | None:
    if name == "shape":
        return Sequence(Scalar("int"))
    if name in ("size", "ndim", "nbytes", "itemsize"):
        return Scalar("int")
    if name == "dtype":
        return DTypeValue(settled(value.dtype))
    if name in ("T", "flat"):
        return value
    if name in ("real", "imag"):
        return replace(value, dtype=REAL_OF.get(value.dtype or "", value.dtype))
    return None


#: What dtypes are asked for, with those that say yes.
OF_DTYPES = {"is_floating_point": FLOATS, "is_complex": COMPLEX}


def shape(value: Tensor) -> Value:
    """``x.shape``: as many numbers as there are dimensions, which are known of those without size alone."""
    if value.rank is not None and value.rank >= 0:
        none = min(value.empty, value.rank)
        return TupleValue((*(Const(0),) * none, *(Scalar("int"),) * (value.rank - none)))
    return Sequence(Scalar("int"))


def _tensor_attribute(interp: Interpreter, value: Tensor, name: str, node: ast.expr) -> Value | None:
    if name == "device":
        return DeviceValue(value.device, followed=True, roots=roots_of_host(value))
    if name == "dtype":
        return DTypeValue(value.dtype, of_torch=True)
    if name == "shape":
        return shape(value)
    if name in ("ndim", "itemsize", "nbytes"):
        return Const(value.rank) if name == "ndim" and (value.rank or 0) > 0 else Scalar("int")
    if name in ("is_cuda", "is_cpu"):
        return _placement_test(interp, value, wanted="accelerator" if name == "is_cuda" else "cpu")
    if name in ("requires_grad", "is_leaf", "is_sparse", "is_quantized", "is_meta"):
        return _flag(value.grad) if name == "requires_grad" else Scalar("bool")
    if name in ("real", "imag") and value.dtype in REAL_OF:
        typed = part_of_complex(interp, value, node)
        return replace(value, dtype=REAL_OF[value.dtype], typed=typed, parameter=False, packed=False)
    if name in ("data", "real", "imag"):
        grad = False if name == "data" else value.grad
        return replace(value, parameter=False, grad=grad, packed=False)
    if name in ("T", "mT", "H", "mH"):
        return replace(
            value, parameter=False, packed=False, empty=0
        )  # its rows may be columns without elements
    if name == "solution":
        return value  # of least squares, the rest of whose results nobody asks for
    if name == "grad":
        leaves.check_gradient(interp, value, node)
        return replace(value, parameter=False, grad=False, trail=(*value.trail[:1],))
    if name in ("grad_fn", "names", "layout", "names_", "is_nested"):
        return Scalar("object")
    return None


def _placement_test(interp: Interpreter, value: Tensor, wanted: str) -> Value:
    """``x.is_cuda``: of what one path leaves on the CPU that path tells how it usually comes out."""
    if value.device.kind in ("accelerator", "cpu"):
        return TRUE if value.device.kind == wanted else FALSE
    if asked_places.are_judged(interp, value.device):
        return TRUE if wanted == "accelerator" else FALSE
    if value.split is not None:
        return Scalar("bool", usual=value.split.device.kind == wanted)
    return asked_places.ANSWER if value.device.kind == "unknown" else Scalar("bool")


def _flag(known: bool | None) -> Value:
    return Scalar("bool") if known is None else (TRUE if known else FALSE)


def of_object(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value:
    """An attribute that neither the object itself nor its project classes have."""
    if is_module(interp, ref):
        known_parts.use_as_module(interp, ref)
        obj = interp.obj(ref)
        if name.isdigit():  # ``getattr(model, "0")``, as names of parameters lead there
            held = obj.items or ()
            return held[int(name)] if int(name) < len(held) else obj.element or UNKNOWN
        bound = reparametrizations.NAME in obj.attrs
        made = reparametrizations.computed(interp, obj, name, node) if bound else None
        return made if made is not None else _module_attribute(interp, ref, obj, name, node)
    found = external_objects.attribute(interp, ref, obj, name, node)
    return found if found is not None else ExternalMethod(ref, name, node)


_PARAMETER_NAMES = frozenset({"weight", "bias", "in_proj_weight", "in_proj_bias"})
#: Layers of torch that have no parameter of their own: activations, dropout, pooling, and what holds others in a row.
_WITHOUT_WEIGHTS = frozenset(
    f"torch.nn.{name}"
    for name in (
        "Sequential ModuleList ModuleDict Identity Flatten ReLU ReLU6 LeakyReLU ELU GELU SiLU Sigmoid Tanh Softmax LogSoftmax "
        "Softplus Hardtanh Dropout Dropout2d Dropout3d MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d "
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool2d Upsample"
    ).split()
)


def _module_attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value:
    if name == "training":
        return obj.facts.get("training", TRUE)
    if name == "device" and not (isinstance(obj.cls, Class) and _has_own_device(interp, obj.cls)):
        return _framework_device(interp, ref)
    if name == "dtype":
        return DTypeValue(None)
    if name == "_orig_mod":
        return ref  # of what was compiled
    if name == "module" and "wrapped" in obj.facts:
        return obj.facts["wrapped"]
    if name in _PARAMETER_NAMES and obj.place is not None:
        return replace(obj.place, rank=AT_LEAST_1, trail=obj.place.trail or obj.trail)
    if (own := _part_of_layer(interp, obj, name)) is not None:
        return own
    if name not in obj.attrs and _is_count(interp, obj, name):
        return Scalar("int")
    if name == "from_pretrained" and isinstance(obj.cls, External):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call):
            interp.update(ref, replace(obj, trail=()))  # the class makes another, this one is of no use
        return External(f"{obj.cls.name}.{name}")
    if isinstance(obj.cls, Class) and name not in obj.attrs:
        return ExternalMethod(ref, name, node)
    named = getattr(obj.cls, "name", "")
    if (
        _is_method(name)
        or name in _NUMBERS
        or named.startswith(_OF_METHODS)
        or _is_without_parts(named, name)
    ):
        return ExternalMethod(ref, name, node)
    return model_parts.part(interp, ref, obj, name)


def _is_count(interp: Interpreter, obj: Obj, name: str) -> bool:
    """Whether a layer of torch, or a part of a model whose code is not here, has a whole number there."""
    if isinstance(obj.cls, Unknown):
        return name in counts.OF_PARTS
    return name in counts.OF_LAYERS and _is_of_torch(interp, obj.cls)


#: What layers of ``torch.nn`` have beside a weight and a bias: parameters of the recurrent ones, and those that
#: reparametrizations and pruning leave. The second are no leaves in every case.
_OF_RECURRENT = re.compile(r"(weight|bias)_(ih|hh|hr)(_l\d+)?(_reverse)?$")
_OF_OTHERS = re.compile(r"(weight|bias)_(g|v|u|orig|mask)$")
_STATISTICS = frozenset({"running_mean", "running_var"})


def _part_of_layer(interp: Interpreter, obj: Obj, name: str) -> Value | None:
    """A parameter or buffer of a layer of torch's own that lies beside its weight.

    A layer that has none gets no part of that name from being asked for one.
    """
    place = obj.place
    if name in _PARAMETER_NAMES and getattr(obj.cls, "name", "") in _WITHOUT_WEIGHTS:
        return UNKNOWN
    if place is None or name in obj.attrs:
        return None
    kept = replace(place, rank=AT_LEAST_1, trail=place.trail or obj.trail)
    if isinstance(obj.cls, Unknown) and name in _STATISTICS:  # a norm within a model whose code is not here
        return replace(kept, parameter=False, grad=False)
    if not isinstance(obj.cls, External) or not obj.cls.name.startswith("torch.nn."):
        return None
    if _OF_RECURRENT.match(name):
        return kept
    if _OF_OTHERS.match(name):
        return replace(kept, parameter=False, grad=None, leaf=None)
    if name in _STATISTICS and obj.cls.name.endswith(_NORMS):
        return replace(kept, parameter=False, grad=False)
    return None


_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")
#: Packages whose modules are asked for methods of their own rather than for their submodules.
_OF_METHODS = ("torch_geometric.", "dgl.", "torchmetrics.", "sentence_transformers.")
#: Layers of ``torch.nn`` that consist of others.
_OF_PARTS = (
    "Module",
    "Sequential",
    "Transformer",
    "MultiheadAttention",
    "DataParallel",
    "Parallel",
    "Distributed",
)


def _is_without_parts(layer: str, name: str) -> bool:
    """Whether a layer of ``torch.nn`` has no submodule, whatever is asked of it: a layer of the project's own may stand there, too."""
    is_weight = name.startswith(("weight", "bias", "_"))
    return (
        layer.startswith("torch.nn.") and not layer.rpartition(".")[2].startswith(_OF_PARTS) and not is_weight
    )


def _is_of_torch(interp: Interpreter, cls: Value) -> bool:
    """Whether a class is a layer of ``torch.nn`` or descends from one."""
    return any(
        base.startswith("torch.nn.") and base != "torch.nn.Module" for base in external_bases(interp, cls)
    )


def _has_own_device(interp: Interpreter, cls: Class) -> bool:
    """Whether a ``device`` is what a class sets, be it where nobody looked, and not what a framework gives its modules.

    Neither ``torch.nn`` nor Python itself gives modules one.
    """
    plain = (
        base.startswith("torch.nn") or base.partition(".")[0] in sys.stdlib_module_names
        for base in external_bases(interp, cls)
    )
    return all(plain) or any("device" in own_attributes.set_by(part.node) for part in classes.linearise(cls))


def _framework_device(interp: Interpreter, ref: Ref) -> Value:
    """``self.device`` of Lightning modules, HF models and metrics: where the parameters are.

    One that is just being made was not moved yet.
    """
    device = module_device(interp, ref)
    if device is not None and device.is_known:
        return DeviceValue(device)
    is_new = device is None and any(
        frame.receiver == ref and frame.scope.endswith(".__init__") for frame in interp.stack
    )
    return DeviceValue(CPU if is_new else ACCELERATOR)


_METHODS = frozenset(
    "to cuda cpu float double half bfloat16 type train eval parameters named_parameters buffers "
    "named_buffers children modules named_children named_modules state_dict load_state_dict "
    "register_buffer register_parameter register_forward_hook add_module apply zero_grad "
    "requires_grad_ share_memory append extend insert items keys values forward generate "
    "flatten_parameters set_dtype reset update compute register_full_backward_hook "
    "register_forward_pre_hook register_backward_hook extra_repr get_submodule get_parameter to_empty xpu "
    "gradient_checkpointing_enable save_pretrained resize_token_embeddings _apply "
    "generate_square_subsequent_mask get_buffer get_extra_state set_extra_state set_submodule compile register_module "
    "register_state_dict_pre_hook register_state_dict_post_hook register_load_state_dict_pre_hook "
    "register_load_state_dict_post_hook".split()
)
#: What only tensors are asked, and tells numbers: what was taken for a submodule is none.
_NUMBERS = frozenset("dim get_device item ndimension nelement numel size tolist".split())


#: How methods of models are called that give no tensor of the kind that submodules give.
_VERBS = ("disable_", "enable_", "load_", "predict_", "print_", "set_")


#: What else each module has.
_DATA = frozenset("training dump_patches call_super_init T_destination _parameters _buffers _modules".split())


def is_of_modules(interp: Interpreter, ref: Ref, name: str) -> bool:
    """Whether a module has an attribute of that name before anybody asks its ``__getattr__``."""
    inherited = _is_of_torch(interp, interp.obj(ref).cls) and (
        name in _PARAMETER_NAMES or name in counts.OF_LAYERS
    )
    return _is_method(name) or name in _DATA or inherited


def _is_method(name: str) -> bool:
    """Whether no submodule goes by a name; what ends in ``_`` is done to a parameter in place, and verbs are methods."""
    known = name in _METHODS or name in model_parts.GETTERS
    return known or name.startswith(("__", *_VERBS)) or name.endswith("_")
