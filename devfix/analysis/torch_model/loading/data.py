"""Datasets and loaders: what a batch looks like, and where its tensors are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.deciding.answers import truth
from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all, scalar_type
from devfix.analysis.domain.lattice import CPU, Device
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    Const,
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
    Value,
    without_none,
)
from devfix.analysis.language import iteration, iterators
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import graphs, hub_datasets, vision
from devfix.analysis.torch_model.loading import batches, collation, file_parts, framework_moves
from devfix.analysis.torch_model.loading.batches import Batch
from devfix.analysis.torch_model.tensors import generators, host_memory

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


def descends(obj: Obj) -> bool:
    """Whether an object is of such a class."""
    return isinstance(obj.cls, Class) and "dataset" in obj.facts


def is_own_loader(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is of such a class, which leaves it to ``DataLoader`` to make batches."""
    return descends(obj) and isinstance(obj.cls, Class) and classes.find(interp, obj.cls, "__iter__") is None


def inherited_batches(interp: Interpreter, obj: Obj) -> Ref:
    """``super().__iter__()`` of such an object: the batches that ``DataLoader`` makes."""
    plain = {key: value for key, value in obj.attrs.items() if key == "collate_fn"}
    return interp.new(Obj("loader", External(batches.LOADER), attrs=plain, facts=obj.facts, trail=obj.trail))


def _options(interp: Interpreter, site: CallSite) -> dict[str, Value]:
    facts: dict[str, Value] = {}
    for position, option in enumerate(_OPTIONS):
        value = site.value(position, option)
        if value is not None:
            facts[option] = value
    context = site.keywords.get("multiprocessing_context")
    if context is not None or site.open:
        facts["multiprocessing_context"] = UNKNOWN if context is None else context.value
    _check_generator(interp, site, facts)
    _note_kept(interp, facts.get("dataset", UNKNOWN))
    return facts


def _note_kept(interp: Interpreter, dataset: Value) -> None:
    """What an object of the project keeps to make samples of stays where it is: the batches move."""
    obj = interp.obj_of(dataset)
    for value in obj.attrs.values() if obj is not None and obj.kind == "instance" else ():
        if isinstance(value, Tensor):
            host_memory.note_read(interp, value)


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
    """``TensorDataset(x, y)``, which takes nothing but tensors: of what is not known no more is, then."""
    items = tuple(file_parts.tensor_of(interp, arg.value) for arg in site.args)
    return interp.new(Obj("dataset", External(name), items=items))


_BASES = frozenset({"torch.utils.data.Dataset", "torch.utils.data.IterableDataset"})
_STACKED = External("torch.utils.data.StackDataset")


def stack_dataset(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``StackDataset(x, y)``, ``StackDataset(image=x)``: samples are tuples, or dicts, of those of what it is made of."""
    named = {key: arg.value for key, arg in site.keywords.items()}
    held = tuple(named.values()) if named else tuple(arg.value for arg in site.args)
    if site.open or (named and site.args):
        return UNKNOWN
    facts: dict[str, Value] = {_FIELDS: TupleValue(tuple(map(Const, named)))} if named else {}
    return interp.new(Obj("dataset", External(name), items=held, facts=facts))


#: The fact of a data set that says under which names its samples have their parts.
_FIELDS = "fields"


def _stacked(interp: Interpreter, obj: Obj, node: ast.expr | None) -> Value:
    """A sample of a ``StackDataset``."""
    parts = tuple(element(interp, held, node) for held in obj.items or ())
    fields = obj.facts.get(_FIELDS)
    if not isinstance(fields, TupleValue):
        return TupleValue(parts)
    names = [str(field.value) for field in fields.items if isinstance(field, Const)]
    return interp.new(Obj("dict", attrs=dict(zip(names, parts, strict=True))))


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
        # Nobody hands a loader the name of a data set, or None: such a member is an option that chose none.
        none = (NONE, *(member for member in value.members if scalar_type(member) == "str"))
        named = tuple(member for member in value.members if member not in none) or value.members
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
    if obj.cls == _STACKED:
        return _stacked(interp, obj, node)
    if obj.kind == "dataset":
        return TupleValue(tuple(_row(interp, item) for item in obj.items or ()))
    if obj.kind == "instance" and isinstance(obj.cls, Class):
        where = node if node is not None else ast.Constant(None, lineno=1, col_offset=0)
        for name in ("__getitem__", "__iter__"):
            found = classes.find(interp, obj.cls, name)
            if isinstance(found, Function):
                if name == "__iter__":
                    return iterators.iterate_instance(interp, value, node)
                index = CallSite(where, (Arg(Scalar("int")),))
                return interp.call_function(found, [value], where, index)
        return own_sample(interp, value, obj, where)
    if obj.kind == "list":
        return iteration.element(interp, value, node)
    return UNKNOWN


def own_sample(interp: Interpreter, ref: Ref, obj: Obj, node: ast.expr) -> Value:
    """A sample that a project's data set has from what it descends from."""
    bases = modules.external_bases(interp, obj.cls)
    if any(map(vision.describes, bases)):
        return vision.own_sample(interp, obj, CallSite(node))
    if not any(map(graphs.describes, bases)):
        return UNKNOWN
    made: Value = UNKNOWN
    get = classes.find(interp, obj.cls, "get") if isinstance(obj.cls, Class) else None
    if isinstance(get, Function):
        made = interp.call_function(get, [ref], node, CallSite(node, (Arg(Scalar("int")),)))
    return graphs.own_sample(interp, obj) if made == UNKNOWN else made


def sample(interp: Interpreter, value: Value, node: ast.expr) -> Value:
    """``dataset[i]`` in the program's own code: the data stay in the dataset, a sample begins its life."""
    return collation.from_loader(interp, element(interp, value, node), node)


def is_of_library(obj: Obj) -> bool:
    """Whether an object is a data set of Hugging Face or PyTorch Geometric."""
    return hub_datasets.is_one(obj) or graphs.is_dataset(obj)


def is_of_part(interp: Interpreter, obj: Obj, name: str) -> bool:
    """Whether an attribute that a data set of the project does not have is one of a part of it, as ``Subset`` makes it."""
    if obj.kind != "instance" or name not in ("dataset", "indices"):
        return False
    return not _BASES.isdisjoint(modules.external_bases(interp, obj.cls))


def dataset_attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``part.indices`` and ``part.dataset``; ``dataset.tensors``, which stay in the dataset as its samples do."""
    if name == "indices":
        return Sequence(Scalar("int"))
    if name == "dataset":
        return ref  # a part stands for the whole
    if name == "tensors" and obj.items is not None:
        return collation.from_loader(interp, TupleValue(obj.items), node)
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
    _draw(interp, obj, node)
    collate_fn = obj.attrs.get("collate_fn") or obj.facts.get("collate_fn", NONE)
    used = interp.state.used
    made = assembled(interp, obj.facts.get("dataset", UNKNOWN), collate_fn, where,
                     alone=obj.facts.get("batch_size") == NONE)  # fmt: skip
    if batches.has_workers(obj):
        interp.state.used = used  # what they do is done in processes of their own
    result = collation.from_loader(interp, made.value, where)
    if node is not None:
        batches.check(interp, obj, replace(made, value=result), node)
    return framework_moves.move(interp, result, batches.owner(obj), where) if "moved" in obj.facts else result


def _draw(interp: Interpreter, loader: Obj, node: ast.expr | None) -> None:
    """The indices of an epoch come from the program's own sampler, which runs where the loop does."""
    for option in ("sampler", "batch_sampler"):
        own = loader.facts.get(option, NONE)
        obj = interp.obj_of(own)
        if obj is not None and obj.kind == "instance":
            iterators.iterate_instance(interp, own, node)


def assembled(
    interp: Interpreter, dataset: Value, collate_fn: Value, node: ast.expr, *, alone: bool = False
) -> Batch:
    """A batch of a dataset's samples; ``alone`` when samples are handed on one by one."""
    before, interp.state.used = interp.state.used, None
    with batches.making(interp), interp.watching() as in_dataset:
        sample = element(interp, dataset, node)
    with batches.making(interp), interp.watching() as in_collate:
        if collate_fn != NONE:
            samples = sample if alone else interp.new(Obj("list", element=sample))
            result = interp.call(collate_fn, CallSite(node, (Arg(samples),)))
        else:
            result = collation.converted(interp, sample) if alone else collation.collate(interp, sample, node)
            if not in_dataset and _is_of_script(interp, dataset):
                result = collation.on_host(interp, result)
    used, interp.state.used = interp.state.used, before or interp.state.used
    batches.note_made(interp, result)
    return Batch(result, in_dataset, in_collate, used)


def _is_of_script(interp: Interpreter, dataset: Value) -> bool:
    """Whether a dataset is an object of the project's own, given no data that may be anywhere, as a checkpoint's.

    Where a program is adopted no data is.
    """
    if isinstance(dataset, Union):
        return all(_is_of_script(interp, member) for member in dataset.members if member != NONE)
    obj = interp.obj_of(dataset)
    if interp.program.adopts and interp.is_script and obj is not None and obj.kind == "dataset":
        return True
    if not interp.is_script or obj is None or obj.kind != "instance" or not isinstance(obj.cls, Class):
        return False
    held = [interp.obj_of(value) for value in obj.attrs.values()]
    return not any(part is not None and part.cls == External("torch.load") for part in held)


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
        collation.default_collate,
    ),
    _STACKED.name: stack_dataset,
    "torch.utils.data.Subset": same_dataset,
    "torch.utils.data.ConcatDataset": same_dataset,
    "torch.utils.data.random_split": split,
    "torch.utils.data.BatchSampler": batch_sampler,
    **{
        f"torch.utils.data.{name}": sampler
        for name in "RandomSampler SequentialSampler WeightedRandomSampler SubsetRandomSampler".split()
    },
}
