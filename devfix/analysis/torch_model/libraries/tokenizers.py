"""Hugging Face tokenizers and the batches they return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, CPU
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Class,
    Const,
    DTypeValue,
    External,
    Obj,
    Ref,
    Tensor,
    Value,
)
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.libraries import model_outputs, movables
from devfix.analysis.torch_model.tensors import moves
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

TOKENIZER = "transformers.PreTrainedTokenizer"
#: Entries that stand for sounds, which are float32 as they are made, and the fact of their dtype.
_SOUNDS, _DTYPE_OF_SOUNDS = frozenset({"input_values", "input_features"}), "dtype of sounds"


def is_maker(name: str) -> bool:
    """Whether a class of transformers turns text (or images) into tensors."""
    return any(word in name for word in ("Tokenizer", "Processor", "FeatureExtractor"))


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A tokenizer, or a processor: what that makes of pictures and sounds is not made of integers."""
    made = Obj("external", External(TOKENIZER), trail=(interp.site("tokenizer", site.node),))
    integers = "Tokenizer" in name.rpartition(".")[2]
    return interp.new(made.with_fact("dtype", DTypeValue("int64" if integers else None)))


def encode(interp: Interpreter, maker: Obj, site: CallSite) -> Value:
    """``tokenizer(text, return_tensors="pt")``: tensors on the CPU, of int64 where they stand for text alone.

    Some processors make them on the device that they are told.
    """
    if site.value(None, "return_tensors") != Const("pt") or site.value(None, "device") not in (None, NONE):
        return UNKNOWN
    trail = (interp.site("tokenizer", site.node),)
    made_of = maker.facts.get("dtype")
    dtype = made_of.name if isinstance(made_of, DTypeValue) else None
    ids = Tensor(CPU, dtype, AT_LEAST_1, grad=False, leaf=True, trail=trail)
    made = Obj("external", External(movables.BATCH), element=ids, trail=trail)
    return interp.new(made if dtype else made.with_fact(_DTYPE_OF_SOUNDS, DTypeValue("float32")))


def entry(obj: Obj, key: Value) -> Value | None:
    """What a batch has under a name: sounds have the dtype of sounds, wherever they are by now."""
    found, dtype = model_outputs.item(obj, key), obj.facts.get(_DTYPE_OF_SOUNDS)
    if not isinstance(key, Const) or key.value not in _SOUNDS or not isinstance(dtype, DTypeValue):
        return found
    if not isinstance(found, Tensor) or found.dtype is not None:
        return found
    return replace(found, dtype=dtype.name)


def mark(interp: Interpreter, result: Value, site: CallSite) -> Value:
    """What a tokenizer of the project returns, when asked for tensors, begins its life there.

    One is known by the argument ``return_tensors="pt"``, and its batch by a method ``to``.
    """
    obj = interp.obj_of(result)
    if obj is None or obj.kind != "dict" or site.value(None, "return_tensors") != Const("pt"):
        return result
    if not isinstance(obj.cls, Class) or classes.find(interp, obj.cls, "to") is None:
        return result
    trail = (interp.site("tokenizer", site.node),)
    attrs = {
        name: replace(value, trail=trail, roots=()) if isinstance(value, Tensor) else value
        for name, value in obj.attrs.items()
    }
    return interp.new(replace(obj, attrs=attrs))


def batch(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``BatchEncoding({...})``: a batch of tensors that are made already."""
    held = interp.obj_of(site.value(0, "data"))
    if held is None or held.kind != "dict":
        return UNKNOWN
    trail = (interp.site("other", site.node),)
    return interp.new(
        Obj("external", External(movables.BATCH), attrs=held.attrs, element=held.element, trail=trail)
    )


def _tensors(interp: Interpreter, ref: Ref) -> dict[str, Tensor]:
    obj = interp.obj(ref)
    named = {"input_ids": obj.element, **obj.attrs}
    return {name: value for name, value in named.items() if isinstance(value, Tensor)}


def parts(interp: Interpreter, ref: Ref, node: ast.expr | None) -> list[Part]:
    """The tensors of a batch, as operands."""
    return [Part(tensor, name, node) for name, tensor in _tensors(interp, ref).items()]


def spread(interp: Interpreter, value: Value) -> dict[str, Value]:
    """The keyword arguments that ``**batch`` stands for, as far as they matter."""
    if not isinstance(value, Ref) or not movables.is_batch(interp, value):
        return {}
    return dict(_tensors(interp, value))


def move(interp: Interpreter, ref: Ref, site: CallSite) -> Value:
    """``batch.to(device)``: in place, and the batch itself is returned; a dtype becomes that of sounds and pictures."""
    obj = interp.obj(ref)
    target = moves.target_of("to", site)
    alone = len(site.args) + len(site.keywords) == 1 and target.device is not None and target.device.is_known
    if _DTYPE_OF_SOUNDS in obj.facts and not (alone and target.dtype is None):
        interp.update(ref, obj.with_fact(_DTYPE_OF_SOUNDS, DTypeValue(target.known_dtype)))
    return moves.held(interp, ref, "to", site)
