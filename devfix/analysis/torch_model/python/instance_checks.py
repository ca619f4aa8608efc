"""``isinstance``, as far as the analysis tells kinds of values apart."""

from __future__ import annotations

import ast
import collections.abc
import datetime as dt
import decimal
import enum
import fractions
import numbers
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.number_types import MIXED, exact_type
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    External,
    Function,
    Obj,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    members,
)
from devfix.analysis.language import iteration, named_tuples
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.modules.layer_specs import WEIGHTED
from devfix.analysis.torch_model.python import protocols, registered_classes
from devfix.analysis.torch_model.tensors import distributions
from devfix.analysis.torch_model.tensors.legacy_types import type_named

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_KINDS = ("list", "dict", "set")
_SCALARS = ("int", "float", "bool", "str")
_BUILT_IN = ("tuple", *_KINDS, *_SCALARS)
#: Further classes that descend from ``dict``.
_OF_DICTS = frozenset({"collections.OrderedDict", "collections.defaultdict", "collections.Counter"})
#: Classes that behave as ``dict`` or ``list`` and descend from neither.
_ALIKE = frozenset({"collections.UserDict", "collections.UserList", "collections.deque"})
_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str}
#: Modules of abstract classes, of which Python itself tells what is an instance.
_ABSTRACT = {"numbers": numbers, "collections.abc": collections.abc, "typing": collections.abc}
#: Modules of classes that only those are instances of who derive from them.
_CONCRETE = {module.__name__: module for module in (dt, decimal, enum, fractions, pathlib)}
_COLLECTIONS: dict[str, type] = {"list": list, "dict": dict, "set": set}
#: Abstract classes that only those are instances of who say so: the methods alone do not make one.
_REGISTERED = (collections.abc.Mapping, collections.abc.Sequence, collections.abc.Set)

_DIMENSIONS = ("1d", "2d", "3d")
_CONVOLUTIONS = tuple(f"Conv{n}" for n in _DIMENSIONS)
_TRANSPOSED = tuple(f"ConvTranspose{n}" for n in _DIMENSIONS)
_BATCH_NORMS = (*(f"BatchNorm{n}" for n in _DIMENSIONS), "SyncBatchNorm")
_INSTANCE_NORMS = tuple(f"InstanceNorm{n}" for n in _DIMENSIONS)

#: Classes of ``torch.nn`` with the layers that are instances of them, themselves apart.
SUBCLASSES = {
    "_BatchNorm": _BATCH_NORMS,
    "_InstanceNorm": _INSTANCE_NORMS,
    "_NormBase": (*_BATCH_NORMS, *_INSTANCE_NORMS),
    "_ConvNd": (*_CONVOLUTIONS, *_TRANSPOSED),
    "_ConvTransposeNd": _TRANSPOSED,
    "RNNBase": ("RNN", "LSTM", "GRU"),
    "RNNCellBase": ("RNNCell", "LSTMCell", "GRUCell"),
    "_DropoutNd": ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"),
    "Hardtanh": ("ReLU6",),
    "NLLLoss": ("NLLLoss2d",),
    "Upsample": ("UpsamplingBilinear2d", "UpsamplingNearest2d"),
    **{f"ConstantPad{n}": (f"ZeroPad{n}",) for n in _DIMENSIONS},
}
_LAYERS = "torch.nn."
#: Where whole models are from, which have layers and are none.
_WHOLE_MODELS = ("transformers.", "diffusers.", "timm.create_model", "torchvision.models.")
#: What every tensor is an instance of; a ``Variable`` has been nothing else since both became one.
_ANY_TENSOR = frozenset(
    ("torch.Tensor", "torch.autograd.Variable", "torch._C.TensorBase", "torch._C._TensorBase")
)
_TENSORS = _ANY_TENSOR | {"torch.nn.Parameter"}
_CLASS = "builtins.type"
#: What is certainly no class; what comes from another package may be one.
_NO_CLASS = (Array, BoundMethod, Const, Function, Scalar, Sequence, Tensor, TupleValue)
_OBJECTS = ("instance", "module", "optimizer", *_KINDS)
#: What a ``PackedSequence`` is, which is a named tuple.
_PACKED = ("torch.nn.utils.rnn.PackedSequence", "builtins.tuple")
#: Whose classes are known by their names; other packages may hand on what is one of torch's.
_KNOWN = ("torch.", "builtins.", "numpy.", "types.")


def isinstance_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``isinstance(value, classes)``."""
    value = site.args[0].value if site.args else UNKNOWN
    classinfo = site.value(1)
    if classinfo is None:
        return Scalar("bool")
    options = iteration.exact_items(interp, classinfo) or members(classinfo)
    answer = _is_one_of(interp, value, options)
    return Scalar("bool") if answer is None else Const(answer)


def _is_one_of(interp: Interpreter, value: Value, options: tuple[Value, ...]) -> bool | None:
    if isinstance(value, Union):
        outcomes = {_is_one_of(interp, member, options) for member in value.members}
        return outcomes.pop() if len(outcomes) == 1 else None
    answers = [_is_instance(interp, value, option) for option in options]
    if True in answers:
        return True
    return None if None in answers else False


def those(interp: Interpreter, value: Value, classinfo: Value, *, outcome: bool) -> Value:
    """Of what a value may be, that of which ``isinstance(value, classinfo)`` can come out so."""
    if not isinstance(value, Union):
        return value
    options = iteration.exact_items(interp, classinfo) or members(classinfo)
    kept = tuple(m for m in value.members if _is_one_of(interp, m, options) in (outcome, None))
    return value if not kept else kept[0] if len(kept) == 1 else Union(kept)


def _is_instance(interp: Interpreter, value: Value, option: Value) -> bool | None:
    if isinstance(value, Unknown):
        return None
    if isinstance(option, Class):
        return _is_project_instance(interp, value, option)
    if option == NONE and not isinstance(value, External):
        return value == NONE
    if not isinstance(option, External):
        return None
    name = option.name
    if name == "builtins.object":
        return True
    if isinstance(value, Class) and (name == _CLASS or name.rpartition(".")[0] in _ABSTRACT):
        return _is_class_of(interp, value, name)
    if isinstance(value, Tensor) and value.packed:
        return name in _PACKED or (False if name.startswith(_KNOWN) else None)
    legacy = type_named(name)
    if legacy is not None or name in _TENSORS:
        return isinstance(value, Tensor) and _is_tensor_of(value, name, legacy)
    if name == "numpy.ndarray":
        return isinstance(value, Array)
    if name == "types.NoneType":
        return value == NONE
    if name == "torch.nn.Module":
        return modules.is_module(interp, value)
    return _is_of_package(interp, value, name)


def _is_of_package(interp: Interpreter, value: Value, name: str) -> bool | None:
    """Whether a value is of a class of Python's or of another package."""
    package, _, last = name.rpartition(".")
    obj = interp.obj_of(value)
    if package == "builtins" and last in _BUILT_IN:
        return _is_built_in(interp, value, obj, last)
    if name == iteration.SLICE.name and (value == iteration.SLICE or not isinstance(value, External)):
        return value == iteration.SLICE  # nothing derives from it
    if name in _ALIKE and obj is not None and obj.kind in _KINDS:
        return name in modules.external_bases(interp, obj.cls)
    if package in _ABSTRACT and isinstance(value, (Array, Const, Scalar)):
        return _is_kind_of(value, getattr(_ABSTRACT[package], last, None))
    if last in ("Mapping", "MutableMapping", "Dict") and obj is not None and obj.kind == "dict":
        return True
    if package in _ABSTRACT:
        return _is_collection(interp, value, obj, getattr(_ABSTRACT[package], last, None))
    if package in _CONCRETE and obj is not None:
        return _is_derived(interp, obj, getattr(_CONCRETE[package], last, None))
    if isinstance(value, Array) and package == "numpy":
        return None  # a number of NumPy's, for all that is known
    if isinstance(value, (Tensor, Array, Const, Scalar)):
        return None if last in ("Sequence", "Iterable", "Number") else False
    if obj is not None and modules.is_module(interp, value) and name.startswith(_LAYERS):
        return _is_layer(interp, obj, last)
    if obj is not None and distributions.is_one(obj):
        return False if distributions.is_no(obj, name) else None
    if obj is not None and isinstance(obj.cls, External) and obj.kind in ("module", "optimizer"):
        return True if obj.cls.name == name else None
    return False if name.startswith("torch.") and _is_plain(interp, value, obj) else None


def _is_plain(interp: Interpreter, value: Value, obj: Obj | None) -> bool:
    """Whether an object is of a class of the project's that descends from nothing else."""
    cls = obj.cls if obj is not None and obj.kind == "instance" else None
    return isinstance(cls, Class) and not _may_collect(interp, cls) and not modules.is_module(interp, value)


def _is_class_of(interp: Interpreter, cls: Class, name: str) -> bool | None:
    """Whether a class is itself what an abstract class stands for, as some metaclasses make theirs."""
    if name == _CLASS:
        return True
    package, _, last = name.rpartition(".")
    abstract = getattr(_ABSTRACT[package], last, None)
    bases = modules.external_bases(interp, cls)
    plain = all(base.startswith("torch.") or base in ("builtins.object", "abc.ABC") for base in bases)
    strange = any(isinstance(base, Unknown) for each in classes.linearise(cls) for base in each.bases)
    if not plain or strange or classes.find(interp, cls, classes.METACLASS) is not None:
        return None
    return issubclass(type, abstract) if isinstance(abstract, type) else None


def _is_kind_of(value: Value, abstract: object) -> bool | None:
    """Whether a number or a text is what an abstract class stands for; arrays may be numbers themselves."""
    kind = type(None) if value == NONE else _TYPES.get(exact_type(value) or "")
    return issubclass(kind, abstract) if kind is not None and isinstance(abstract, type) else None


def _is_collection(interp: Interpreter, value: Value, obj: Obj | None, abstract: object) -> bool | None:
    """Whether a tensor, a collection or an object is what an abstract class of collections stands for."""
    if not isinstance(abstract, type):
        return None
    if isinstance(value, TupleValue) or (obj is not None and named_tuples.is_one(interp, obj)):
        return issubclass(tuple, abstract)
    if obj is not None and obj.kind in _COLLECTIONS and not isinstance(obj.cls, Class):
        return issubclass(_COLLECTIONS[obj.kind], abstract)
    cls = obj.cls if obj is not None and obj.kind == "instance" else None
    if isinstance(value, Tensor) or (isinstance(cls, Class) and not _may_collect(interp, cls)):
        return False if issubclass(abstract, _REGISTERED) else None
    return None


def _is_derived(interp: Interpreter, obj: Obj, asked: object) -> bool | None:
    """Whether an object is of a class of Python's that has to be derived from."""
    if obj.kind in _COLLECTIONS and not isinstance(obj.cls, Class):
        return False
    if obj.kind != "instance" or not isinstance(obj.cls, Class) or not isinstance(asked, type):
        return None
    for name in modules.external_bases(interp, obj.cls):
        package, _, last = name.rpartition(".")
        base = getattr(_CONCRETE.get(package), last, None)
        if isinstance(base, type) and issubclass(base, asked):
            return True
    return None if _may_collect(interp, obj.cls) else False


def _may_collect(interp: Interpreter, cls: Class) -> bool:
    """Whether a class may have been told to be a collection: what it descends from is not known to be none."""
    harmless = {"builtins.object", "torch.nn.Module"}
    return modules.has_strange_base(interp, cls) or bool({*modules.external_bases(interp, cls)} - harmless)


def _is_tensor_of(tensor: Tensor, name: str, legacy: tuple[str, Device] | None) -> bool | None:
    """Whether a tensor is a parameter, or a ``torch[.cuda].FloatTensor``, whose device and dtype have to fit."""
    if name in _TENSORS or legacy is None:
        return True if name in _ANY_TENSOR or tensor.parameter else None
    dtype, device = legacy
    kinds = {tensor.device.kind, device.kind}
    if kinds == {"cpu", "accelerator"} or tensor.dtype not in (None, dtype):
        return False
    return True if len(kinds) == 1 and tensor.dtype is not None else None


def _is_layer(interp: Interpreter, obj: Obj, option: str) -> bool | None:
    """Whether a module is of a class of ``torch.nn``; a class from elsewhere may derive from any."""
    names = list(modules.external_bases(interp, obj.cls))
    if option in WEIGHTED and isinstance(obj.cls, External) and obj.cls.name.startswith(_WHOLE_MODELS):
        return False
    below = (option, *SUBCLASSES.get(option, ()))
    if any(name.startswith(_LAYERS) and name.removeprefix(_LAYERS) in below for name in names):
        return True
    known = all(name.startswith(_LAYERS) and "." not in name.removeprefix(_LAYERS) for name in names)
    lazy = any(".Lazy" in name for name in names)
    told = option in SUBCLASSES or not option.startswith("_")
    return False if names and known and told and not lazy else None


def _is_built_in(interp: Interpreter, value: Value, obj: Obj | None, name: str) -> bool | None:
    if isinstance(value, Sequence):
        return None if name in ("tuple", "list", "set") else False
    if name == "tuple":
        return isinstance(value, TupleValue) or (obj is not None and named_tuples.is_one(interp, obj))
    if name in _KINDS:
        return obj is not None and (
            _inherits(interp, obj, name) or (obj.kind == name and not _is_alike(interp, obj))
        )
    if exact_type(value) == MIXED and _TYPES[name] in (bool, int, float):
        return None
    kind = _TYPES.get(scalar_type(value) or "")
    return kind is not None and issubclass(kind, _TYPES[name])


def _inherits(interp: Interpreter, obj: Obj, name: str) -> bool:
    """Whether an object of the project is of a class that descends from one of Python's containers."""
    above = modules.external_bases(interp, obj.cls) if isinstance(obj.cls, Class) else ()
    return f"builtins.{name}" in above or (name == "dict" and not _OF_DICTS.isdisjoint(above))


def _is_alike(interp: Interpreter, obj: Obj) -> bool:
    """Whether what behaves as a list or a dict is none of Python's: it wraps one, or it is a ``deque``."""
    return not _ALIKE.isdisjoint(modules.external_bases(interp, obj.cls))


def _is_project_instance(interp: Interpreter, value: Value, option: Class) -> bool | None:
    obj = interp.obj_of(value)
    own = obj.cls if obj is not None else None
    if isinstance(own, Class) and any(cls.node is option.node for cls in classes.linearise(own)):
        return True
    registered = registered_classes.of(interp, option)
    if registered and (answer := _is_one_of(interp, value, registered)) is not False:
        return answer
    if not protocols.is_told_by_members(interp, option):
        return False
    return None if obj is None else protocols.has_members(interp, value, option)


def is_named_otherwise(interp: Interpreter, asked: ast.expr, name: Value) -> bool:
    """Whether ``x.__class__.__name__`` or ``type(x).__name__`` is certainly not this name, which Python's own class has."""
    told = name.value if isinstance(name, Const) else None
    if told not in _BUILT_IN or not isinstance(asked, ast.Attribute) or asked.attr != "__name__":
        return False
    cls = asked.value
    if isinstance(cls, ast.Attribute) and cls.attr == "__class__":
        value = interp.eval(cls.value)
    elif (
        isinstance(cls, ast.Call)
        and len(cls.args) == 1
        and interp.eval(cls.func) == External("builtins.type")
    ):
        value = interp.eval(cls.args[0])
    else:
        return False
    return _is_one_of(interp, value, (External(f"builtins.{told}"),)) is False


def is_tensor(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.is_tensor(value)``."""
    value = site.args[0].value if site.args else UNKNOWN
    answer = _is_one_of(interp, value, (External("torch.Tensor"),))
    return Scalar("bool") if answer is None else Const(answer)


def is_class(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``inspect.isclass(value)``."""
    answers = {_is_any_class(interp, member) for member in members(site.value(0, "object") or UNKNOWN)}
    answer = answers.pop() if len(answers) == 1 else None
    return Scalar("bool") if answer is None else Const(answer)


def _is_any_class(interp: Interpreter, value: Value) -> bool | None:
    obj = interp.obj_of(value)
    known = isinstance(value, _NO_CLASS) or (obj is not None and obj.kind in _OBJECTS)
    return True if isinstance(value, Class) else False if known else None


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "builtins.isinstance": isinstance_,
    "torch.is_tensor": is_tensor,
    "inspect.isclass": is_class,
}
