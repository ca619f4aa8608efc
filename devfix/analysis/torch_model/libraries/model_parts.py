"""Parts of models whose code is not here: they live with the whole, and some of them are models themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import MOVED
from devfix.analysis.domain.lattice import INTEGERS, rank_of_stack
from devfix.analysis.domain.values import TRUE, Obj, Ref, Tensor, Value
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import model_outputs
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Methods of models of transformers that return a part.
GETTERS = frozenset("get_input_embeddings get_output_embeddings get_encoder get_decoder".split())
#: Parts that have a row of their weight for each token, where they are given tokens, and the fact of one.
_TABLES, _TABLE = frozenset("get_input_embeddings embed_tokens wte shared".split()), "looks tokens up"


def part(interp: Interpreter, ref: Ref, obj: Obj, name: str) -> Value:
    """A submodule (``resnet.fc``), which is made when it is asked for."""
    held = obj.attrs.get(name)
    if held is not None:
        return held
    place = obj.place and modules.place_of_all(interp, ref, obj.place)
    facts = {**model_outputs.facts_of_part(obj, name), **moved_with(obj)}
    if name in _TABLES and model_outputs.answers(obj):
        facts[_TABLE] = TRUE
    made = interp.new(Obj("module", place=place, facts=facts, trail=obj.trail))
    interp.update(ref, interp.obj(ref).with_attr(name, made))
    return made


def looked_up(obj: Obj, place: Tensor, parts: list[Part], result: Tensor) -> Tensor:
    """What a part returns: rows of a table of weights ``place``, where it is such and is given whole numbers."""
    if _TABLE not in obj.facts or len(parts) != 1 or parts[0].tensor.dtype not in INTEGERS:
        return result  # models of pictures and sounds answer with a layer that computes
    return replace(result, dtype=place.dtype, rank=rank_of_stack(parts[0].tensor.rank))


def moved_with(whole: Obj) -> dict[str, Value]:
    """The facts of a part that was moved with the whole before anybody asked for it."""
    return {MOVED: whole.facts[MOVED]} if MOVED in whole.facts else {}
