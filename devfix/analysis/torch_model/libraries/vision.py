"""torchvision's datasets and transforms: they give images, which a transform makes tensors on the CPU."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_values
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Const,
    DTypeValue,
    External,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.containers import everything
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.record.trails import roots_of
from devfix.analysis.torch_model.libraries import mask_kinds, transform_classes
from devfix.analysis.torch_model.loading import batches, trees
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_DATASETS = "torchvision.datasets"

#: Datasets whose samples are an image and the number of its class, by what follows ``root``.
_AFTER_ROOT = ("train", "transform", "target_transform")
_CLASSIFIED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("MNIST FashionMNIST KMNIST QMNIST CIFAR10 CIFAR100 USPS".split(), _AFTER_ROOT),
    **dict.fromkeys(("ImageFolder",), ("transform", "target_transform")),
    **dict.fromkeys(
        "EMNIST SVHN STL10 FakeData DatasetFolder LSUN Flowers102 Food101 GTSRB ImageNet".split(), ()
    ),
}

#: Where some of them are defined, from where they are imported as well.
_DEFINED = {
    "mnist": "MNIST FashionMNIST KMNIST QMNIST EMNIST",
    "cifar": "CIFAR10 CIFAR100",
    "folder": "ImageFolder DatasetFolder",
    **{
        name.lower(): name
        for name in "USPS SVHN STL10 FakeData LSUN Flowers102 Food101 GTSRB ImageNet".split()
    },
}
_NAMES = frozenset(
    (
        *(f"{_DATASETS}.{name}" for name in _CLASSIFIED),
        *(f"{_DATASETS}.{module}.{name}" for module, names in _DEFINED.items() for name in names.split()),
    )
)

#: What makes a tensor of an image, with the dtype; ``ToImage`` keeps that of an array.
_MAKERS = {"ToTensor": "float32", "PILToTensor": "uint8", "ToImage": None}
#: What gives a tensor the dtype that it was made with.
_CASTS = frozenset({"ConvertImageDtype", "ToDtype"})
#: What keeps tensors as plain attributes, which no move of a module takes along.
_KEEPERS = frozenset({"LinearTransformation"})
#: What gives no tensor, whatever it is given.
_UNMAKERS = frozenset({"ToPILImage"})
#: What makes one of several samples, whose classes become shares, and what goes with the weights of a model.
_MIXING, _PRESET = frozenset({"CutMix", "MixUp"}), "_presets.ImageClassification"
#: What applies the transforms of a list, always or at times.
_CHAINS = frozenset({"Compose"})
_CHANCES = frozenset({"RandomApply", "RandomOrder", "RandomChoice"})
#: The classes of what keeps a list of transforms.
CHAINS: tuple[External, ...] = tuple(
    External(package + kind) for package in transform_classes.PACKAGES for kind in sorted(_CHAINS | _CHANCES)
)


def dataset(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torchvision.datasets.MNIST(...)``: what its samples are."""
    return interp.new(
        Obj("list", element=_sample(interp, _options(name, site), site), attrs=_held(interp, name, site))
    )


def describes(base: str) -> bool:
    """Whether a class is a dataset whose samples are known."""
    return base in _NAMES


def initialise(interp: Interpreter, ref: Ref, base: str, site: CallSite) -> None:
    """What an instance of a project's subclass of such a dataset has."""
    obj = interp.obj(ref)
    for key, value in _options(base, site).items():
        obj = obj.with_attr(key, value)
    for key, value in _held(interp, base, site).items():
        obj = obj.with_attr(key, value)
    interp.update(ref, obj)


def _held(interp: Interpreter, name: str, site: CallSite) -> dict[str, Value]:
    """The images and classes that such a dataset keeps as a whole, under the names they have had."""
    last = name.rpartition(".")[2]
    images: Value
    classes: Value
    if last.startswith("CIFAR"):
        images, classes = Array("uint8", 4), Sequence(Scalar("int"))
    elif last.endswith("MNIST"):
        trail = (interp.site("other", site.node),)
        images, classes = (
            Tensor(dtype="uint8", rank=3, trail=trail),
            Tensor(dtype="int64", rank=1, trail=trail),
        )
    else:
        return {}
    data, targets = ("data", "train_data", "test_data"), ("targets", "train_labels", "test_labels")
    return {**dict.fromkeys(data, images), **dict.fromkeys(targets, classes)}


def own_sample(interp: Interpreter, obj: Obj, site: CallSite) -> Value:
    """``super().__getitem__(index)`` in such a subclass."""
    return _sample(interp, obj.attrs, site)


def _options(name: str, site: CallSite) -> dict[str, Value]:
    found: dict[str, Value] = {"transform": NONE, "target_transform": NONE}
    order = _CLASSIFIED.get(name.rpartition(".")[2], ())
    found.update({key: arg.value for key, arg in zip(order, site.args[1:], strict=False)})
    found.update({key: arg.value for key, arg in site.keywords.items() if key in (*_AFTER_ROOT, "root")})
    return found


def _sample(interp: Interpreter, options: Mapping[str, Value], site: CallSite) -> Value:
    image, label = options.get("transform", UNKNOWN), options.get("target_transform", UNKNOWN)
    return TupleValue((
        UNKNOWN if image == NONE else _image(interp, image, site),
        Scalar("int") if label == NONE else _apply(interp, label, Scalar("int"), site),
    ))  # fmt: skip


def _image(interp: Interpreter, transform: Value, site: CallSite) -> Value:
    made = _apply(interp, transform, UNKNOWN, site)
    if made == UNKNOWN and interp.obj_of(transform) is None:
        return Tensor(CPU, None, 3, grad=False)
    return made


def _apply(interp: Interpreter, transform: Value, value: Value, site: CallSite) -> Value:
    with batches.making(interp):
        return interp.call(without_none(transform), CallSite(site.node, (Arg(value),)))


def transform(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``transforms.Compose([...])`` and its relatives; None for a name that is none of them."""
    last = _kind(name)
    if not last[:1].isupper():
        return None
    if last in _KEEPERS:
        _check_kept(interp, name, site)
    held = site.value(0, "transforms", "lambd", "dtype", "transformation_matrix")
    return interp.new(Obj("external", External(name), element=held))


def _check_kept(interp: Interpreter, name: str, site: CallSite) -> None:
    """Matrices that are kept together are on one device: "Input tensors should be on the same device"."""
    given = [(site.get(0, "transformation_matrix"), "input"), (site.get(1, "mean_vector"), "other")]
    parts = [Part(v, role, arg.node) for arg, role in given if arg and isinstance(v := arg.value, Tensor)]
    requirements.meet(interp, site.node, name, parts, scalars=False)


def _kind(name: str) -> str:
    return next(
        (name.removeprefix(package) for package in transform_classes.PACKAGES if name.startswith(package)), ""
    )


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``compose.transforms``: the list that was given, which grows with what is appended."""
    return obj.element if name == "transforms" else None


def apply(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``transform(image)`` of torchvision: what becomes of an image, a tensor or what holds them."""
    if name not in ("__call__", "forward") or not isinstance(obj.cls, External):
        return UNKNOWN
    image = site.value(0, "img", "pic", "tensor", "inputs") or UNKNOWN
    if obj.cls.name.startswith(transform_classes.OF_SEVERAL):
        if len(site.args) > 1:
            return TupleValue(_together(interp, obj, [arg.value for arg in site.args], site))
        if isinstance(image, TupleValue):
            return image.with_items(_together(interp, obj, image.items, site))
        held = interp.obj_of(image)
        if held is not None and held.kind in ("dict", "list"):
            return _beside(interp, obj, image, site)
    return _transformed(interp, obj, image, site)


def _together(interp: Interpreter, obj: Obj, values: Iterable[Value], site: CallSite) -> tuple[Value, ...]:
    """An image and what comes with it."""
    image, *others = values
    return (_transformed(interp, obj, image, site), *(_beside(interp, obj, each, site) for each in others))


def _beside(interp: Interpreter, obj: Obj, value: Value, site: CallSite) -> Value:
    """What comes with an image, or holds it: a label is handed on, of a mask the dtype may change, a dict keeps its form."""

    def changed(leaf: Value) -> Value:
        if not isinstance(leaf, Tensor):
            return leaf if isinstance(leaf, (Const, Scalar)) else UNKNOWN
        with interp.recorder.mute():  # whether it is changed depends on its kind
            made = _transformed(interp, obj, leaf, site)
        if not isinstance(made, Tensor):
            return UNKNOWN
        return replace(made, rank=leaf.rank, dtype=leaf.dtype if made.dtype == leaf.dtype else None, typed=())

    return trees.mapped(interp, value, changed)


def _transformed(interp: Interpreter, obj: Obj, image: Value, site: CallSite) -> Value:
    kind = _kind(getattr(obj.cls, "name", ""))
    if kind in _MIXING:
        return (
            replace(_derived(interp, image, AT_LEAST_1, site), dtype=None)
            if isinstance(image, Tensor)
            else UNKNOWN
        )
    if kind == _PRESET:
        found = (
            _derived(interp, image, AT_LEAST_1, site)
            if isinstance(image, Tensor)
            else _made(interp, None, site)
        )
        return replace(found, dtype="float32")
    if kind in _CHAINS | _CHANCES:
        changed = _chain(interp, obj.element, image, site)
        return changed if kind in _CHAINS else join_values(image, changed)
    if kind == "Lambda" and obj.element is not None:
        return _apply(interp, obj.element, image, site)
    if kind in _MAKERS and not isinstance(image, Tensor):
        return _made(interp, _made_dtype(kind, image), site)
    if kind in _KEEPERS and isinstance(image, Tensor) and isinstance(obj.element, Tensor):
        callee = site.node.func if isinstance(site.node, ast.Call) else None
        parts = [Part(image, "input", None), Part(obj.element, "transformation_matrix", callee)]
        requirements.meet(interp, site.node, f"torchvision.transforms.{kind}", parts, scalars=False)
    if isinstance(image, Tensor) and kind not in _UNMAKERS:
        found = _derived(interp, image, AT_LEAST_1, site)
        if kind not in _CASTS:
            return found
        return replace(found, dtype=mask_kinds.cast(interp, image, obj.element) or _dtype(obj.element))
    return UNKNOWN


def _made_dtype(kind: str, image: Value) -> str | None:
    """``ToTensor`` divides the bytes of an image; what an array holds of other numbers stays as it is."""
    if kind == "ToTensor" and isinstance(image, Array):
        return "float32" if image.dtype == "uint8" else image.dtype
    return _MAKERS[kind]


def _dtype(value: Value | None) -> str | None:
    return value.name if isinstance(value, DTypeValue) else None


def _chain(interp: Interpreter, steps: Value | None, image: Value, site: CallSite) -> Value:
    exact = iteration.exact_items(interp, steps) if steps is not None else None
    if exact is None:
        return _some_chain(interp, interp.obj_of(steps or UNKNOWN), image, site)
    for step in exact:
        image = _apply(interp, step, image, site)
    return image


def _some_chain(interp: Interpreter, steps: Obj | None, image: Value, site: CallSite) -> Value:
    """What a list gives that some runs make longer than others: its steps are known, how many there are is not.

    A loader takes tensors alone, so where one of the steps makes a tensor of an image it is always among them.
    """
    if steps is None or steps.kind != "list":
        return UNKNOWN
    parts = [each for value in everything(steps) for each in members(value)]
    made = _some_steps(interp, {_step(interp, part) for part in parts} - {""}, image, site)
    with interp.recorder.mute():  # which of them have what others made is not known
        for part in parts:
            if _step(interp, part) == "" and made != UNKNOWN:
                made = join_values(made, _apply(interp, part, made, site))
    return made if isinstance(made, Tensor) else UNKNOWN


def _some_steps(interp: Interpreter, kinds: set[str], image: Value, site: CallSite) -> Value:
    """What some of torchvision's own transforms make of an image."""
    if not kinds or kinds & (_UNMAKERS | _CHAINS | _CHANCES | {"Lambda"}):
        return UNKNOWN
    if isinstance(image, Tensor):
        found = _derived(interp, image, AT_LEAST_1, site)
        return replace(found, dtype=None) if kinds & _CASTS else found
    makers = {_MAKERS[kind] for kind in kinds if kind in _MAKERS}
    dtype = None if kinds & _CASTS or len(makers) > 1 else next(iter(makers), None)
    return _made(interp, dtype, site) if makers else UNKNOWN


def _step(interp: Interpreter, value: Value) -> str:
    """What kind of transform a step is; empty for what is none of torchvision's."""
    obj = interp.obj_of(value)
    return _kind(obj.cls.name) if obj is not None and isinstance(obj.cls, External) else ""


def grid(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torchvision.utils.make_grid(images)``: one image of many, where they are."""
    images = without_none(site.args[0].value) if site.args else UNKNOWN
    if not isinstance(images, Tensor):
        images = without_none(iteration.element(interp, images, site.node))
    return _derived(interp, images, 3, site) if isinstance(images, Tensor) else UNKNOWN


def function(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torchvision.transforms.functional.resize(image, size)``: a tensor stays where it is."""
    image = without_none(site.args[0].value) if site.args else UNKNOWN
    return _derived(interp, image, AT_LEAST_1, site) if isinstance(image, Tensor) else UNKNOWN


def _derived(interp: Interpreter, image: Tensor, rank: int, site: CallSite) -> Tensor:
    trail = (interp.site("result", site.node),)
    return replace(image, rank=rank, leaf=None, parameter=False, trail=trail, roots=roots_of([image]))


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torchvision.transforms.functional.to_tensor(image)``: a tensor on the CPU."""
    kind = "PILToTensor" if name.endswith("pil_to_tensor") else "ToTensor"
    return _made(interp, _made_dtype(kind, site.value(0, "pic") or UNKNOWN), site)


def _made(interp: Interpreter, dtype: str | None, site: CallSite) -> Tensor:
    """A tensor of an image; what makes it takes no device."""
    return Tensor(CPU, dtype, 3, grad=False, leaf=True, trail=(interp.site("numpy", site.node),))


_FUNCTIONALS = ("torchvision.transforms.functional", "torchvision.transforms.v2.functional")
_ON_IMAGES = (
    "normalize resize center_crop crop pad hflip vflip rotate affine gaussian_blur adjust_brightness adjust_contrast "
    "adjust_hue adjust_saturation adjust_gamma resized_crop invert solarize rgb_to_grayscale perspective erase "
    "horizontal_flip vertical_flip"
).split()
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(_NAMES, dataset),
    "torchvision.utils.make_grid": grid,
    **{f"{package}.{name}": function for package in _FUNCTIONALS for name in _ON_IMAGES},
    **{f"{package}.{name}": make for package in _FUNCTIONALS for name in ("to_tensor", "pil_to_tensor")},
}
