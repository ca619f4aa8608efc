"""Collation: what becomes of the samples of a dataset in a batch, and nested batches whose tensors change together."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU, Device, rank_of_stack
from devfix.analysis.domain.number_types import MIXED, exact_type
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    Obj,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    without_none,
)
from devfix.analysis.language import containers, iteration, named_tuples
from devfix.analysis.language.frames import CallSite
from devfix.analysis.record.trails import dtype_trails, extend
from devfix.analysis.torch_model.arrays.numpy_types import NUMBERS, settled
from devfix.analysis.torch_model.libraries import graphs, movables

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


#: The objects that something stands in, one in the other: what holds itself has no end.
Around = tuple[Value, ...]


def on_host(interp: Interpreter, batch: Value, around: Around = ()) -> Value:
    """Parts of a batch of which nothing is known are tensors on the CPU: what files hold comes in by NumPy."""
    if isinstance(batch, Unknown):
        # In a program that is adopted they have to move as any batch does.
        loaded = batch.token in interp.checkpoints and not interp.program.adopts
        return batch if loaded else Tensor(CPU, None, AT_LEAST_1, grad=False, leaf=True)
    if isinstance(batch, TupleValue):
        return batch.with_items(on_host(interp, item, around) for item in batch.items)
    obj = interp.obj_of(batch)
    if batch in around:
        return UNKNOWN
    around = (*around, batch)
    if obj is not None and obj.kind == "list" and obj.items is not None:
        return interp.new(replace(obj, items=tuple(on_host(interp, item, around) for item in obj.items)))
    if obj is not None and obj.kind == "dict":
        attrs = {key: on_host(interp, item, around) for key, item in obj.attrs.items()}
        return interp.new(replace(obj, attrs=attrs))
    return batch


def converted(interp: Interpreter, sample: Value, around: Around = ()) -> Value:
    """``default_convert``: what a loader makes of a sample that it does not collate; all of its arrays become tensors."""

    def part(held: Value) -> Value:
        return converted(interp, held, (*around, sample))

    if isinstance(sample, Array):
        roots = (sample.trail,) if sample.trail else ()
        return Tensor(CPU, settled(sample.dtype), sample.rank, grad=False, leaf=True, roots=roots)
    if isinstance(sample, TupleValue):
        return _listed(interp, sample, (part(item) for item in sample.items))
    if isinstance(sample, Sequence):
        return Sequence(part(sample.element))
    if isinstance(sample, Union):
        return join_all([part(member) for member in sample.members])
    if sample in around:
        return UNKNOWN
    obj = interp.obj_of(sample)
    if obj is not None and named_tuples.is_one(interp, obj):
        return named_tuples.with_fields(interp, obj, part)
    if obj is not None and obj.kind in ("dict", "list"):
        return interp.new(containers.each(obj, part))
    return sample


def _listed(interp: Interpreter, sample: TupleValue, items: Iterable[Value]) -> Value:
    """What the items of a tuple become: a list, unless the tuple has names."""
    return sample.with_items(items) if sample.names else interp.new(Obj("list", items=tuple(items)))


def placed(interp: Interpreter, value: Value, device: Device) -> Value:
    """A nested batch with every tensor on ``device``."""
    return each_tensor(interp, value, lambda tensor: replace(tensor, device=device, roots=()))


def each_tensor(
    interp: Interpreter, value: Value, change: Callable[[Tensor], Tensor], around: Around = ()
) -> Value:
    """A nested batch of the same form with every tensor changed."""

    def part(held: Value) -> Value:
        return each_tensor(interp, held, change, (*around, value))

    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, TupleValue):
        return value.with_items(part(item) for item in value.items)
    if isinstance(value, Sequence):
        return Sequence(part(value.element))
    if isinstance(value, Union):
        return Union(tuple(part(member) for member in value.members))
    if value in around:
        return UNKNOWN
    obj = interp.obj_of(value)
    if obj is not None and obj.kind in ("dict", "list"):
        return interp.new(containers.each(obj, part))
    if obj is not None and named_tuples.is_one(interp, obj):
        return named_tuples.with_fields(interp, obj, part)
    if obj is not None and (
        obj.kind == "instance" or movables.is_graph(obj) or movables.is_batch(interp, value)
    ):
        if any(isinstance(held, Tensor) for held in (*obj.attrs.values(), obj.element)):
            return interp.new(containers.with_tensors(obj, change))
    return value


def collate(interp: Interpreter, sample: Value, node: ast.expr, around: Around = ()) -> Value:
    """``default_collate``: numbers and arrays become tensors, tuples lists; dicts and named tuples stay what they are."""

    def part(held: Value) -> Value:
        return collate(interp, held, node, (*around, sample))

    sample = without_none(sample)
    if isinstance(sample, (Tensor, Array)):
        batch = converted(interp, sample)
        rank = rank_of_stack(sample.rank)
        return replace(batch, rank=rank, parameter=False, leaf=True) if isinstance(batch, Tensor) else batch
    kind = exact_type(sample)
    if kind in (MIXED, *NUMBERS):
        return Tensor(CPU, NUMBERS.get(kind), 1, grad=False, leaf=True)
    if kind == "str":
        return Sequence(Scalar("str"))
    if isinstance(sample, TupleValue):
        return _listed(interp, sample, (part(item) for item in sample.items))
    if sample in around:
        return UNKNOWN
    obj = interp.obj_of(sample)
    if obj is not None and obj.kind == "dict":
        attrs = {key: part(item) for key, item in obj.attrs.items()}
        last = part(obj.element) if obj.element is not None else None
        return interp.new(replace(obj, attrs=attrs, element=last))
    if isinstance(sample, Union):
        return join_all([part(member) for member in sample.members])
    if isinstance(sample, Sequence):
        return interp.new(Obj("list", element=part(sample.element)))
    if obj is not None and obj.kind == "list":
        items = tuple(part(item) for item in obj.items) if obj.items is not None else None
        last = part(obj.element) if obj.element is not None else None
        return interp.new(Obj("list", items=items, element=last))
    if obj is not None and movables.is_graph(obj):
        return graphs.batch(interp, obj)
    if obj is not None and movables.is_batch(interp, sample):
        attrs = {key: part(item) for key, item in obj.attrs.items()}
        last = part(obj.element) if obj.element is not None else None
        return interp.new(replace(obj, attrs=attrs, element=last))
    if obj is not None and named_tuples.is_one(interp, obj):
        return named_tuples.with_fields(interp, obj, part)
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
