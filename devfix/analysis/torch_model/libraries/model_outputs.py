"""What models of transformers and diffusers return: a ``ModelOutput``, whose entries are beside the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Const, External, Obj, Ref, Tensor, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

CLASS = External("transformers.ModelOutput")
#: What is under these names is what a layer, or a norm, of the model made.
_STATES, _LOGITS = ("last_hidden_state", "pooler_output"), ("logits",)
#: Of halves some models make float32 logits in the end.
_KEPT = {"float32": (*_STATES, *_LOGITS), "float16": _STATES, "bfloat16": _STATES}
#: Parts of models that are models themselves and return such an output, and the fact of one, which is what it is a part of.
_MODELS = frozenset(
    "encoder decoder model transformer base_model bert roberta distilbert electra deberta albert vit text_model "
    "vision_model language_model get_encoder get_decoder".split()
)
_FACT = "answers as a model"
#: Models whose residuals are float32, whatever their weights are.
_GOING_ON_WIDE = re.compile(r"transformers\.(Falcon)?Mamba")
_LIBRARIES = ("transformers.", "diffusers.")


def make(interp: Interpreter, tensor: Tensor, dtype: str | None = None) -> Ref:
    """A ``ModelOutput`` of a model with weights of ``dtype``: whatever is asked of it is a tensor where the model is."""
    known = _KEPT.get(dtype or "", ()) if interp.autocast is None else ()
    attrs = {name: replace(tensor, dtype=dtype) for name in known}
    return interp.new(Obj("external", CLASS, attrs=attrs, element=tensor))


def entry(obj: Obj, name: str) -> Value | None:
    """``output.logits``."""
    return obj.attrs.get(name, obj.element)


def item(obj: Obj, key: Value) -> Value | None:
    """``output["logits"]``, ``output[0]``."""
    return entry(obj, key.value) if isinstance(key, Const) and isinstance(key.value, str) else obj.element


def answers(obj: Obj) -> bool:
    """Whether a module is a model that returns such an output, or a part of one that does."""
    return _FACT in obj.facts or getattr(obj.cls, "name", "").startswith(_LIBRARIES)


def facts_of_part(obj: Obj, name: str) -> dict[str, Value]:
    """What is known of a part of a model by its name."""
    return {_FACT: class_of_whole(obj)} if name in _MODELS and answers(obj) else {}


def dtype_of_states(obj: Obj, dtype: str | None) -> str | None:
    """The dtype of what a model with weights of this dtype makes of its states; None where it goes on in wider floats."""
    return None if _GOING_ON_WIDE.match(getattr(class_of_whole(obj), "name", "")) else dtype


def class_of_whole(obj: Obj) -> Value:
    """The class of a model, or of the model that a part belongs to."""
    return obj.facts.get(_FACT, obj.cls)
