"""Batches of the Trainer of transformers: what its own collator makes of samples, and what it moves."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, CPU
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    Function,
    Obj,
    Tensor,
    Value,
    without_none,
)
from devfix.analysis.torch_model.loading import collation, data, framework_moves

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The library by which it moves batches.
_MOVER = "accelerate"
#: What has a Trainer pad its samples as lists of numbers, where it is given no collator.
_PADDING = ("tokenizer", "processing_class")
#: The option by which it may keep what the model does not take.
_KEEPING = "remove_unused_columns"
#: What its own collator calls ``labels``, and what becomes of numbers there.
_LABELS = ("label", "label_ids")
_DTYPES = {"int": "int64", "float": "float32", "bool": "bool"}


def make(interp: Interpreter, trainer: Obj, dataset: Value | None, node: ast.expr) -> Value:
    """The batch that a step is given; of a dataset that nobody knows it has tensors under any name.

    Entries that the model does not take are left out, unless they are labels or the Trainer is told to keep them.
    """
    if dataset is not None:
        collator = trainer.attrs.get("data_collator", NONE)
        if collator != NONE:
            made = data.assembled(interp, dataset, collator, node).value
        elif any(trainer.attrs.get(name, NONE) != NONE for name in _PADDING):
            made = UNKNOWN
        else:
            made = _collated(interp, data.assembled(interp, dataset, NONE, node, alone=True).value, node)
        held = interp.obj_of(made)
        if held is not None and held.kind == "dict" and held.attrs:
            kept = interp.new(replace(held, attrs=_used(interp, trainer, held.attrs)))
            return moved(interp, kept, node)
    return interp.new(Obj("dict", element=Tensor(ACCELERATOR, grad=False, leaf=True)))


def moved(interp: Interpreter, batch: Value, node: ast.expr) -> Value:
    """A batch on the accelerator."""
    return framework_moves.move(interp, batch, _MOVER, node)


def _used(interp: Interpreter, trainer: Obj, entries: Mapping[str, Value]) -> Mapping[str, Value]:
    """The entries of a batch that the model takes, and the labels among the others."""
    options = interp.obj_of(trainer.attrs.get("args"))
    names = taken_by(interp, trainer.attrs.get("model", NONE))
    if names is None or (options is not None and _KEEPING in options.facts):
        return entries
    return {key: value for key, value in entries.items() if key in names or "label" in key}


def taken_by(interp: Interpreter, model: Value) -> dict[str, Value] | None:
    """What the ``forward`` of a model of the project can be given, by name, and the default of each; None for any other model."""
    obj = interp.obj_of(model)
    found = (
        classes.find(interp, obj.cls, "forward") if obj is not None and isinstance(obj.cls, Class) else None
    )
    if not isinstance(found, Function):
        return None
    spec, defaults = found.node.args, dict(found.defaults)
    return {each.arg: defaults.get(each.arg, UNKNOWN) for each in (*spec.args, *spec.kwonlyargs)}


def _collated(interp: Interpreter, sample: Value, node: ast.expr) -> Value:
    """What ``default_data_collator`` makes of samples, which is not what ``default_collate`` does.

    Texts and what is None are left out.
    """
    obj = interp.obj_of(sample)
    if obj is None or obj.kind != "dict" or obj.element is not None:
        return UNKNOWN
    attrs = {
        "labels" if key in _LABELS else key: _stacked(interp, key, without_none(value), node)
        for key, value in obj.attrs.items()
        if scalar_type(value) != "str" and value != NONE
    }
    return interp.new(Obj("dict", attrs=attrs))


def _stacked(interp: Interpreter, key: str, value: Value, node: ast.expr) -> Value:
    if isinstance(value, (Tensor, Array)) and key not in _LABELS:
        return collation.collate(interp, value, node)
    kind = scalar_type(value)
    if kind in _DTYPES:
        dtype = "int64" if kind == "bool" and key in _LABELS else _DTYPES[kind]
        return Tensor(CPU, dtype, 1, grad=False, leaf=True)
    return Tensor(CPU, None, AT_LEAST_1, grad=False, leaf=True)
