"""Parts of models whose code is not here: they live with the whole, and some of them are models themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import MOVED
from devfix.analysis.domain.lattice import FLOATS, INTEGERS, rank_of_stack
from devfix.analysis.domain.values import TRUE, Obj, Ref, Tensor, Value
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import known_parts, model_outputs
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Methods of models of transformers that return a part.
GETTERS = frozenset("get_input_embeddings get_output_embeddings get_encoder get_decoder".split())
#: Parts that have a row of their weight for each token, where they are given tokens, and the fact of one.
_TABLES, _TABLE = frozenset("get_input_embeddings embed_tokens wte shared".split()), "looks tokens up"

#: Parts of models that hold their layers in a row, the fact of one, and that of a layer that was taken of it.
_ROWS, _ROW, _LAYER = frozenset("layers layer h block blocks".split()), "row of layers", "layer of a row"
_TOKENS = frozenset({"argument 1", "input_ids"})

#: Parts that are a linear layer, or a few of them, which make of floats others of their own dtype, and the fact of one.
_HEADS = frozenset(
    "classifier embed_out lm_head pooler qa_outputs score text_projection visual_projection".split()
)
_HEAD = "head of linear layers"


def part(interp: Interpreter, ref: Ref, obj: Obj, name: str) -> Value:
    """A submodule (``resnet.fc``), which is made when it is asked for; what a method returns is no attribute of its name."""
    key = f"{name}()" if name in GETTERS else name
    held = obj.attrs.get(key)
    if held is not None:
        return held
    place = obj.place and modules.place_of_all(interp, ref, obj.place)
    facts = {**model_outputs.facts_of_part(obj, name), **moved_with(obj)}
    if name not in GETTERS:
        facts |= known_parts.facts(name)
    if name in _TABLES and model_outputs.answers(obj):
        facts[_TABLE] = TRUE
    if name in _ROWS and model_outputs.answers(obj):
        facts[_ROW] = TRUE
    if name in _HEADS and model_outputs.answers(obj):
        facts[_HEAD] = TRUE
    made = interp.new(Obj("module", place=place, facts=facts, trail=obj.trail))
    interp.update(ref, interp.obj(ref).with_attr(key, made))
    return made


def answered(interp: Interpreter, obj: Obj, place: Tensor, parts: list[Part], result: Tensor) -> Tensor:
    """What a part with weights like ``place`` returns: it may be rows of them, or what such a head makes of floats."""
    given = parts[0].tensor if len(parts) == 1 else None
    if given is None:
        return result
    if _TABLE in obj.facts and given.dtype in INTEGERS:
        # What models of pictures and sounds have there is a layer that computes, and is given floats.
        return replace(result, dtype=place.dtype, rank=rank_of_stack(given.rank))
    computes = given.dtype in FLOATS and given.dtype == place.dtype and interp.autocast is None
    return replace(result, dtype=place.dtype) if _HEAD in obj.facts and computes else result


def taken_of(whole: Obj) -> dict[str, Value]:
    """The facts of some part of a model, whichever: it is where the model was moved, and may be one of its layers."""
    return {**moved_with(whole), **({_LAYER: TRUE} if _ROW in whole.facts else {})}


def shown(obj: Obj, parts: list[Part], result: Tensor) -> Tensor:
    """What hooks of a part are shown: a layer of a model that is given sentences of tokens makes a vector for each token."""
    given = [part.tensor for part in parts if part.role in _TOKENS]
    of_tokens = any(tensor.rank == 2 and tensor.dtype in INTEGERS for tensor in given)
    return replace(result, rank=3) if _LAYER in obj.facts and of_tokens else result


def moved_with(whole: Obj) -> dict[str, Value]:
    """The facts of a part that was moved with the whole before anybody asked for it."""
    return {MOVED: whole.facts[MOVED]} if MOVED in whole.facts else {}
