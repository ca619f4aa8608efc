"""Graphs of PyTorch Geometric: ``Data``, the library's data sets, and its loaders.

A graph holds tensors under names and moves as one: ``data.to(device)`` moves what it holds and
returns the graph itself. What the library's data sets hold is on the CPU until somebody moves it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU, DTYPES
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    External,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.text import syntax
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.torch_model.libraries import movables
from devfix.analysis.torch_model.tensors import moves, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

DATASET = "torch_geometric.data.Dataset"
#: Transforms that leave graphs where they are.
_KEEPING = "torch_geometric.transforms.BaseTransform"
_TRANSFORMS = "torch_geometric.transforms."
#: Packages of which every name is one of a kind.
PACKAGES: tuple[str, ...] = ("torch_geometric.datasets.", _TRANSFORMS)
#: What a project's data sets descend from, and what it is given that may change their graphs.
_BASES = frozenset({"Dataset", "InMemoryDataset"})
_GIVEN = ("root", "transform", "pre_transform")
#: What a graph of the library's data sets may hold, with its dtype where that is always the same.
_HELD: dict[str, str | None] = {
    **dict.fromkeys("x y pos z edge_attr edge_weight edge_label norm".split()),
    **dict.fromkeys("edge_index edge_label_index edge_type batch ptr face".split(), "int64"),
    **dict.fromkeys("train_mask val_mask test_mask".split(), "bool"),
}
#: What ``Data`` takes by position.
_PARAMETERS = ("x", "edge_index", "edge_attr", "y", "pos")
_COUNTS = frozenset(
    "num_nodes num_edges num_features num_node_features num_edge_features num_classes num_graphs "
    "batch_size".split()
)

#: A move of what a data set keeps all of its graphs in, or of a part of that.
_WHOLE_SET = re.compile(r"\._?data(?:\.\w+)?\.(?:to|cuda)\(")


def describes(base: str) -> bool:
    """Whether the samples of what descends from a class are graphs."""
    return base.startswith("torch_geometric.data.") and base.rpartition(".")[2] in _BASES


def initialise(interp: Interpreter, ref: Ref, site: CallSite) -> None:
    """``super().__init__(root, transform, pre_transform)`` of a project's data set."""
    obj = interp.obj(ref)
    for position, key in enumerate(_GIVEN):
        value = UNKNOWN if site.open else site.value(position, key)
        obj = obj.with_attr(key, NONE if value is None else value)
    interp.update(ref, obj)


def own_sample(interp: Interpreter, obj: Obj) -> Value:
    """A graph of a project's data set: on the CPU, unless something may have moved it."""
    changes = [obj.attrs.get(key, UNKNOWN) for key in _GIVEN[1:]]
    if any(change != NONE and not _keeps_devices(interp, change) for change in changes):
        return UNKNOWN
    parts = classes.linearise(obj.cls) if isinstance(obj.cls, Class) else []
    moved = any(_speaks_of_devices(part.node) for part in parts) or _moves_whole_sets(interp)
    return UNKNOWN if moved else sample(interp)


def _moves_whole_sets(interp: Interpreter) -> bool:
    """Whether a program moves what may be all graphs of a data set: ``dataset.data = dataset.data.to(device)``."""
    return any(_WHOLE_SET.search(source.text) for source in interp.program.sources.values())


def _changes_in_place(cls: Class) -> bool:
    """Whether a project's transform gives back the graph that it is given, and says nothing of devices."""
    parts = classes.linearise(cls)
    called = next((found for part in parts if (found := _called(part.node)) is not None), None)
    return (
        called is not None
        and _gives_back(called)
        and not any(_speaks_of_devices(part.node) for part in parts)
    )


def _called(node: ast.ClassDef) -> ast.FunctionDef | None:
    """What a class does with the graph that it is called with."""
    methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
    return next((method for method in methods if method.name in ("__call__", "forward")), None)


@syntax.remembered
def _gives_back(node: ast.FunctionDef) -> bool:
    """Whether each ``return`` of a method is its first argument, which keeps its name."""
    given = [each.arg for each in positional_of(node)][1:2]
    parts = list(in_rows(node))
    returned = [part.value for part in parts if isinstance(part, ast.Return)]
    named = [value.id for value in returned if isinstance(value, ast.Name)]
    kept = not any(
        isinstance(part, ast.Name) and part.id in given and not isinstance(part.ctx, ast.Load)
        for part in parts
    )
    return kept and bool(named) and len(named) == len(returned) and {*named} == {*given}


@syntax.remembered
def _speaks_of_devices(node: ast.ClassDef) -> bool:
    casts = {id(part.func) for part in in_rows(node) if isinstance(part, ast.Call) and _is_cast(part)}
    parts = (part for part in in_rows(node) if isinstance(part, (ast.Name, ast.Attribute)))
    names = {part.id if isinstance(part, ast.Name) else part.attr for part in parts if id(part) not in casts}
    return any(name in ("to", "cuda") or "device" in name.lower() for name in names)


def _is_cast(call: ast.Call) -> bool:
    """Whether a call is ``x.to(y.dtype)`` or ``x.to(torch.float32)``."""
    given = [*call.args, *(each.value for each in call.keywords)]
    return len(given) == 1 and isinstance(given[0], ast.Attribute) and given[0].attr in (*DTYPES, "dtype")


def is_dataset(obj: Obj | None) -> bool:
    """Whether an object is a data set of the library."""
    return obj is not None and obj.cls == External(DATASET)


def data(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Data(x=x, edge_index=edge_index)``: it holds what it is given."""
    if site.open:
        return UNKNOWN
    held = {key: arg.value for key, arg in zip(_PARAMETERS, site.args, strict=False)}
    held.update({key: arg.value for key, arg in site.keywords.items()})
    return interp.new(Obj("external", External(movables.GRAPH), attrs=held))


def call(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A data set or a transform of the library."""
    if not name.rpartition(".")[2][:1].isupper():
        return UNKNOWN
    return (_transform if name.startswith(_TRANSFORMS) else _dataset)(interp, name, site)


def _dataset(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``Planetoid(root, "Cora")``: graphs on the CPU; a transform may have put them elsewhere."""
    changes = (site.keywords[key].value for key in ("transform", "pre_transform") if key in site.keywords)
    if site.open or any(change != NONE and not _keeps_devices(interp, change) for change in changes):
        return UNKNOWN
    return interp.new(Obj("external", External(DATASET)))


def _keeps_devices(interp: Interpreter, transform: Value) -> bool:
    obj = interp.obj_of(transform)
    if obj is not None and isinstance(obj.cls, Class):
        return _changes_in_place(obj.cls)
    return obj is not None and obj.cls == External(_KEEPING)


def _transform(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``T.NormalizeFeatures()`` leaves graphs where they are; ``T.ToDevice`` does not, ``T.Compose`` may not."""
    last = name.rpartition(".")[2]
    if last == "Compose" and site.args:
        given = interp.obj_of(site.args[0].value)
        parts = given.items if given is not None else None
        keeps = parts is not None and all(_keeps_devices(interp, part) for part in parts)
    else:
        keeps = last not in ("ToDevice", "Compose", "RandomLinkSplit")
    return interp.new(Obj("external", External(_KEEPING))) if keeps else UNKNOWN


def item(interp: Interpreter, ref: Ref, key: Value, node: ast.expr) -> Value:
    """``dataset[3]``; a slice, a mask and a list of numbers choose a part of the set."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return ref
    if scalar_type(key) == "int":
        return sample(interp)
    if isinstance(key, Tensor) and isinstance(node, ast.Subscript):
        _check_numbers(interp, node, key)
    if isinstance(key, Array):
        return ref if key.rank not in (0, None) else UNKNOWN
    listed = interp.obj_of(key)
    several = isinstance(key, (Tensor, TupleValue, Sequence)) or (
        listed is not None and listed.kind == "list"
    )
    return ref if several else UNKNOWN


def _check_numbers(interp: Interpreter, node: ast.Subscript, key: Tensor) -> None:
    """Of tensors those of int64 choose graphs by their numbers, and masks of bool."""
    if key.dtype not in (None, "int64", "bool") and key.rank not in (0, None):
        part = Part(key, "index", node.slice)
        requirements.record(interp, node, f"{DATASET}.__getitem__", "index-dtype", [part])


def sample(interp: Interpreter) -> Value:
    """A graph of a data set."""
    held = Tensor(CPU, None, AT_LEAST_1, grad=False, leaf=True)
    return interp.new(Obj("external", External(movables.GRAPH), element=held))


def attribute(obj: Obj, name: str) -> Value | None:
    """``data.x``: a tensor it was given, or one that graphs of the library's data sets have."""
    if name in _COUNTS:
        return Scalar("int")
    if name in obj.attrs:
        return obj.attrs[name]
    if isinstance(obj.element, Tensor) and name in _HELD:
        return replace(obj.element, dtype=_HELD[name])
    return None


def batch(interp: Interpreter, obj: Obj) -> Ref:
    """A batch of graphs: theirs under the same names, and the number of each node's graph."""
    first = next((held for held in obj.attrs.values() if isinstance(held, Tensor)), None)
    made = obj
    if first is not None:
        made = obj.with_attr("batch", Tensor(first.device, "int64", 1, grad=False, leaf=True))
    return interp.new(made)


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``data.to(device)`` and its kin: in place, and the graph itself is returned."""
    if name in ("to", "cuda", "cpu"):
        return moves.held(interp, ref, name, site)
    if name in ("clone", "__copy__"):
        return interp.new(obj)
    return ref if name in ("contiguous", "coalesce", "pin_memory") else UNKNOWN


def dataset_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``dataset.shuffle()``: the same graphs."""
    if name in ("shuffle", "copy", "index_select"):
        return ref
    return Scalar("int") if name in ("__len__", "len") else UNKNOWN


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {movables.GRAPH: data}
METHODS: dict[str, Callable[[Interpreter, Ref, Obj, str, CallSite], Value]] = {
    movables.GRAPH: method,
    DATASET: dataset_method,
}
