"""Parts of models whose code is not here: they live with the whole, and some of them are models themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.join import MOVED
from devfix.analysis.domain.values import Obj, Ref, Value
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.libraries import model_outputs

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Methods of models of transformers that return a part.
GETTERS = frozenset("get_input_embeddings get_output_embeddings get_encoder get_decoder".split())


def part(interp: Interpreter, ref: Ref, obj: Obj, name: str) -> Value:
    """A submodule (``resnet.fc``), which is made when it is asked for."""
    held = obj.attrs.get(name)
    if held is not None:
        return held
    place = obj.place and modules.place_of_all(interp, ref, obj.place)
    facts = {**model_outputs.facts_of_part(obj, name), **moved_with(obj)}
    made = interp.new(Obj("module", place=place, facts=facts, trail=obj.trail))
    interp.update(ref, interp.obj(ref).with_attr(name, made))
    return made


def moved_with(whole: Obj) -> dict[str, Value]:
    """The facts of a part that was moved with the whole before anybody asked for it."""
    return {MOVED: whole.facts[MOVED]} if MOVED in whole.facts else {}
