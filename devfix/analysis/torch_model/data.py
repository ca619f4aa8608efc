"""Datasets and loaders: what a batch looks like, and where its tensors are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from devfix.analysis import calls, classes, iteration, modules, named_tuples
from devfix.analysis.conditions import truth
from devfix.analysis.copying import replace
from devfix.analysis.frames import Arg, CallSite
from devfix.analysis.join import join_all, scalar_type
from devfix.analysis.lattice import ACCELERATOR, AT_LEAST_1, CPU, Device
from devfix.analysis.torch_model import batches, generators, graphs, hub_datasets, tokenizers, vision
from devfix.analysis.torch_model.batches import Batch
from devfix.analysis.torch_model.numpy_types import settled
from devfix.analysis.trails import dtype_trails, extend
from devfix.analysis.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    DeviceValue,
    External,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    without_none,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_OPTIONS = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
)


def loader(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``DataLoader(dataset, ...)``."""
    facts = _options(interp, site)
    trail = (interp.site("loader", site.node),)
    return interp.new(Obj("loader", External(name), facts=facts, trail=trail))


def initialise_loader(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``DataLoader.__init__`` of a class of the project that descends from it."""
    obj = interp.obj(ref)
    interp.update(ref, replace(obj, facts={**obj.facts, **_options(interp, site)}))


def is_own_loader(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is of such a class, which leaves it to ``DataLoader`` to make batches."""
    if not isinstance(obj.cls, Class) or "dataset" not in obj.facts:
        return False
    return classes.find(interp, obj.cls, "__iter__") is None


def _options(interp: Interpreter, site: CallSite) -> dict[str, Value]:
    facts: dict[str, Value] = {}
    for position, option in enumerate(_OPTIONS):
        value = site.value(position, option)
        if value is not None:
            facts[option] = value
    _check_generator(interp, site, facts)
    return facts


def _check_generator(interp: Interpreter, site: CallSite, facts: dict[str, Value]) -> None:
    """Shuffling draws a permutation, on the default device, from the generator given or the CPU's."""
    if not truth(interp, facts.get("shuffle", NONE)):
        return
    generator = site.keywords.get("generator")
    if generator is not None and generator.value != NONE:
        generators.check(interp, replace(site, keywords={"generator": generator}), _default(interp))
    elif not site.open:
        generators.check_default(interp, site.node, _default(interp))


def _default(interp: Interpreter) -> Device:
    default = interp.state.default_device
    return default.device if isinstance(default, DeviceValue) else CPU


def tensor_dataset(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``TensorDataset(x, y)``."""
    items = tuple(arg.value for arg in site.args)
    return interp.new(Obj("dataset", External(name), items=items))


def same_dataset(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Subset``, ``ConcatDataset``: elements as in what they are made of."""
    inner = site.value(0, "dataset", "datasets")
    if isinstance(inner, (TupleValue, Sequence)) or (interp.obj_of(inner) or Obj("")).kind == "list":
        inner = iteration.element(interp, inner or UNKNOWN, None)
    return inner if inner is not None else UNKNOWN


def split(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``random_split(dataset, lengths)``: several of the same."""
    inner = site.value(0, "dataset")
    if "generator" in site.keywords:
        generators.check(interp, site, _default(interp))
    elif len(site.args) < 3 and not site.open:
        generators.check_default(interp, site.node, _default(interp))
    return Sequence(inner if inner is not None else UNKNOWN)


def sampler(interp: Interpreter, name: str, site: CallSite) -> Value:
    """Samplers yield indices, which they draw on the default device."""
    if "generator" in site.keywords:
        generators.check(interp, site, _default(interp))
    return interp.new(Obj("sampler", External(name), element=Scalar("int")))


def batch_sampler(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``BatchSampler(sampler, n, drop_last)``: lists of indices."""
    return Sequence(Sequence(Scalar("int")))


def element(interp: Interpreter, value: Value, node: ast.expr | None) -> Value:
    """``dataset[i]``."""
    if isinstance(value, Union):
        # Nobody hands a loader the name of a data set: such a member is an option that chose none.
        named = tuple(member for member in value.members if scalar_type(member) != "str") or value.members
        each = [element(interp, member, node) for member in named]
        lengths = {len(part.items) for part in each if isinstance(part, TupleValue)}
        # Samples of two parts or of three are told apart, so that the first part of both stays known.
        return Union(tuple(each)) if len(lengths) == len(each) > 1 else join_all(each)
    obj = interp.obj_of(value)
    if isinstance(value, (Tensor, Array)):
        return iteration.row(value)
    if obj is None or not isinstance(value, Ref):
        items = iteration.exact_items(interp, value)
        return iteration.element(interp, value, node) if items or isinstance(value, Sequence) else UNKNOWN
    if hub_datasets.is_one(obj):
        return hub_datasets.row(interp, obj)
    if graphs.is_dataset(obj):
        return graphs.sample(interp)
    if obj.kind == "dataset":
        return TupleValue(tuple(_row(interp, item) for item in obj.items or ()))
    if obj.kind == "instance" and isinstance(obj.cls, Class):
        where = node if node is not None else ast.Constant(None, lineno=1, col_offset=0)
        for name in ("__getitem__", "__iter__"):
            found = classes.find(interp, obj.cls, name)
            if isinstance(found, Function):
                if name == "__iter__":
                    return calls.iterate_instance(interp, value, node)
                index = CallSite(where, (Arg(Scalar("int")),))
                return calls.call_function(interp, found, [value], where, index)
        if any(map(vision.describes, modules.external_bases(interp, obj.cls))):
            return vision.own_sample(interp, obj, CallSite(where))
        return UNKNOWN
    if obj.kind == "list":
        return iteration.element(interp, value, node)
    return UNKNOWN


def sample(interp: Interpreter, value: Value, node: ast.expr) -> Value:
    """``dataset[i]`` in the program's own code: the data stay in the dataset, a sample begins its life."""
    return from_loader(interp, element(interp, value, node), node)


def is_of_library(obj: Obj) -> bool:
    """Whether an object is a data set of Hugging Face or PyTorch Geometric."""
    return hub_datasets.is_one(obj) or graphs.is_dataset(obj)


def dataset_attribute(interp: Interpreter, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``dataset.indices`` of a subset; ``dataset.tensors``, which stay in the dataset as its samples do."""
    if name == "indices":
        return Sequence(Scalar("int"))
    if name == "tensors" and obj.items is not None:
        return from_loader(interp, TupleValue(obj.items), node)
    return None


def _row(interp: Interpreter, value: Value) -> Value:
    value = without_none(value)
    return iteration.row(value) if isinstance(value, (Tensor, Array)) else UNKNOWN


def batch(interp: Interpreter, value: Value, node: ast.expr | None) -> Value:
    """What a loop over a loader yields."""
    obj = interp.obj_of(value)
    if obj is None or obj.kind == "sampler":
        return Scalar("int")
    where = node if node is not None else ast.Constant(None, lineno=1, col_offset=0)
    collate_fn = obj.attrs.get("collate_fn") or obj.facts.get("collate_fn", NONE)
    made = assembled(interp, obj.facts.get("dataset", UNKNOWN), collate_fn, where,
                     alone=obj.facts.get("batch_size") == NONE)  # fmt: skip
    result = from_loader(interp, made.value, where)
    if node is not None:
        batches.check(interp, obj, replace(made, value=result), node)
    return placed(interp, result, ACCELERATOR) if "moved" in obj.facts else result


def assembled(
    interp: Interpreter, dataset: Value, collate_fn: Value, node: ast.expr, *, alone: bool = False
) -> Batch:
    """A batch of a dataset's samples; ``alone`` when samples are handed on one by one."""
    with batches.making(interp), interp.watching() as in_dataset:
        sample = element(interp, dataset, node)
    with batches.making(interp), interp.watching() as in_collate:
        if collate_fn != NONE:
            samples = sample if alone else interp.new(Obj("list", element=sample))
            result = calls.call(interp, collate_fn, CallSite(node, (Arg(samples),)))
        else:
            result = converted(interp, sample) if alone else collate(interp, sample, node)
            if not in_dataset and _is_of_script(interp, dataset):
                result = _on_host(interp, result)
    return Batch(result, in_dataset, in_collate)


def _is_of_script(interp: Interpreter, dataset: Value) -> bool:
    """Whether a dataset is an object of the project's own, given no data that may be anywhere, as a checkpoint's."""
    if isinstance(dataset, Union):
        return all(_is_of_script(interp, member) for member in dataset.members)
    obj = interp.obj_of(dataset)
    if not interp.is_script or obj is None or obj.kind != "instance" or not isinstance(obj.cls, Class):
        return False
    held = [interp.obj_of(value) for value in obj.attrs.values()]
    return not any(part is not None and part.cls == External("torch.load") for part in held)


def _on_host(interp: Interpreter, batch: Value) -> Value:
    """Parts of a batch of which nothing is known are tensors on the CPU: what files hold comes in by NumPy."""
    if isinstance(batch, Unknown):
        loaded = batch.token in interp.checkpoints
        return batch if loaded else Tensor(CPU, None, AT_LEAST_1, grad=False, leaf=True)
    if isinstance(batch, TupleValue):
        return batch.with_items(_on_host(interp, item) for item in batch.items)
    obj = interp.obj_of(batch)
    if obj is not None and obj.kind == "list" and obj.items is not None:
        return interp.new(replace(obj, items=tuple(_on_host(interp, item) for item in obj.items)))
    if obj is not None and obj.kind == "dict":
        attrs = {key: _on_host(interp, item) for key, item in obj.attrs.items()}
        return interp.new(replace(obj, attrs=attrs))
    return batch


def converted(interp: Interpreter, sample: Value) -> Value:
    """``default_convert``: what a loader makes of a sample that it does not collate."""
    if isinstance(sample, Array):
        roots = (sample.trail,) if sample.trail else ()
        return Tensor(CPU, settled(sample.dtype), sample.rank, grad=False, leaf=True, roots=roots)
    if isinstance(sample, TupleValue):
        return _listed(interp, sample, (converted(interp, item) for item in sample.items))
    obj = interp.obj_of(sample)
    if obj is not None and named_tuples.is_one(interp, obj):
        return named_tuples.with_fields(interp, obj, lambda field: converted(interp, field))
    return sample


def _listed(interp: Interpreter, sample: TupleValue, items: Iterable[Value]) -> Value:
    """What the items of a tuple become: a list, unless the tuple has names."""
    return sample.with_items(items) if sample.names else interp.new(Obj("list", items=tuple(items)))


def placed(interp: Interpreter, value: Value, device: Device) -> Value:
    """A nested batch with every tensor on ``device``."""
    return each_tensor(interp, value, lambda tensor: replace(tensor, device=device, roots=()))


def each_tensor(interp: Interpreter, value: Value, change: Callable[[Tensor], Tensor]) -> Value:
    """A nested batch of the same form with every tensor changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, TupleValue):
        return value.with_items(each_tensor(interp, item, change) for item in value.items)
    if isinstance(value, Sequence):
        return Sequence(each_tensor(interp, value.element, change))
    if isinstance(value, Union):
        return Union(tuple(each_tensor(interp, member, change) for member in value.members))
    obj = interp.obj_of(value)
    if obj is not None and obj.kind in ("dict", "list"):
        attrs = {k: each_tensor(interp, v, change) for k, v in obj.attrs.items()}
        items = tuple(each_tensor(interp, v, change) for v in obj.items) if obj.items is not None else None
        last = each_tensor(interp, obj.element, change) if obj.element is not None else None
        return interp.new(replace(obj, attrs=attrs, items=items, element=last))
    if obj is not None and graphs.is_graph(obj):
        return graphs.each_tensor(interp, obj, change)
    if obj is not None and obj.cls == External(tokenizers.BATCH) and isinstance(obj.element, Tensor):
        return interp.new(replace(obj, element=change(obj.element)))
    if obj is not None and named_tuples.is_one(interp, obj):
        return named_tuples.with_fields(interp, obj, lambda field: each_tensor(interp, field, change))
    if obj is not None and obj.kind == "instance" and any(isinstance(v, Tensor) for v in obj.attrs.values()):
        attrs = {k: change(v) if isinstance(v, Tensor) else v for k, v in obj.attrs.items()}
        return interp.new(replace(obj, attrs=attrs))
    return value


def collate(interp: Interpreter, sample: Value, node: ast.expr) -> Value:
    """``default_collate``: numbers and arrays become tensors, tuples lists; dicts and named tuples stay what they are."""
    sample = without_none(sample)
    if isinstance(sample, Tensor):
        rank = sample.rank + 1 if sample.rank is not None and sample.rank >= 0 else AT_LEAST_1
        return replace(sample, rank=rank, parameter=False, leaf=True)
    if isinstance(sample, Array):
        rank = sample.rank + 1 if sample.rank is not None and sample.rank >= 0 else AT_LEAST_1
        roots = (sample.trail,) if sample.trail else ()
        return Tensor(CPU, settled(sample.dtype), rank, grad=False, leaf=True, roots=roots)
    kind = scalar_type(sample)
    if kind in ("int", "float", "bool"):
        dtype = {"int": "int64", "float": "float64", "bool": "bool"}[kind]
        return Tensor(CPU, dtype, 1, grad=False, leaf=True)
    if kind == "str":
        return Sequence(Scalar("str"))
    if isinstance(sample, TupleValue):
        return _listed(interp, sample, (collate(interp, item, node) for item in sample.items))
    obj = interp.obj_of(sample)
    if obj is not None and obj.kind == "dict":
        attrs = {key: collate(interp, item, node) for key, item in obj.attrs.items()}
        last = collate(interp, obj.element, node) if obj.element is not None else None
        return interp.new(replace(obj, attrs=attrs, element=last))
    if isinstance(sample, Union):
        return join_all([collate(interp, member, node) for member in sample.members])
    if isinstance(sample, Sequence):
        return interp.new(Obj("list", element=collate(interp, sample.element, node)))
    if obj is not None and obj.kind == "list":
        items = tuple(collate(interp, item, node) for item in obj.items) if obj.items is not None else None
        last = collate(interp, obj.element, node) if obj.element is not None else None
        return interp.new(Obj("list", items=items, element=last))
    if obj is not None and graphs.is_graph(obj):
        return graphs.batch(interp, obj)
    if obj is not None and tokenizers.is_batch(interp, sample) and obj.element is not None:
        return interp.new(replace(obj, element=collate(interp, obj.element, node)))
    if obj is not None and named_tuples.is_one(interp, obj):
        return named_tuples.with_fields(interp, obj, lambda field: collate(interp, field, node))
    return UNKNOWN


def default_collate(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``default_collate(samples)``, called by a collate function of the project."""
    samples = site.value(0, "batch")
    return (
        collate(interp, iteration.element(interp, samples, None), site.node)
        if samples is not None
        else UNKNOWN
    )


def from_loader(interp: Interpreter, value: Value, node: ast.expr) -> Value:
    """Tensors on the CPU begin their life, for the training loop, where the loader yields them."""

    def begin(tensor: Tensor) -> Tensor:
        if tensor.device != CPU:
            return tensor
        roots = tensor.roots or ((tensor.trail,) if tensor.trail else ())
        trail = (interp.site("loader", node),) if getattr(node, "end_lineno", None) else ()
        typed = tuple(extend(before, trail[0]) for before in dtype_trails(tensor)) if trail else ()
        return replace(tensor, trail=trail, roots=roots, typed=typed)

    return each_tensor(interp, value, begin)


def loader_attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str) -> Value | None:
    """``loader.dataset`` and the other options."""
    return obj.facts.get(name)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``iter(loader)``, ``next(batches)``, ``len(loader)`` by their methods, which Python 2 called ``next``."""
    if name == "__iter__":
        return ref
    if name in ("__next__", "next"):
        return iteration.element(interp, ref, site.node)
    if name == "__getitem__":
        return element(interp, ref, site.node)
    return Scalar("int") if name == "__len__" else UNKNOWN


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(
        (
            "torch.utils.data.DataLoader",
            "torch_geometric.loader.DataLoader",
            "torch_geometric.data.DataLoader",
        ),
        loader,
    ),
    "torch.utils.data.TensorDataset": tensor_dataset,
    **dict.fromkeys(
        (
            "torch.utils.data.default_collate",
            "torch.utils.data.dataloader.default_collate",
            "torch.utils.data._utils.collate.default_collate",
        ),
        default_collate,
    ),
    "torch.utils.data.Subset": same_dataset,
    "torch.utils.data.ConcatDataset": same_dataset,
    "torch.utils.data.random_split": split,
    "torch.utils.data.BatchSampler": batch_sampler,
    **{
        f"torch.utils.data.{name}": sampler
        for name in "RandomSampler SequentialSampler WeightedRandomSampler SubsetRandomSampler".split()
    },
}
