"""What models of transformers and diffusers return: a ``ModelOutput``, whose entries are beside the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import Const, External, Obj, Ref, Tensor, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

CLASS = External("transformers.ModelOutput")
#: What is under these names is what a layer, or a norm, of the model made.
_OF_LAST_LAYERS = ("last_hidden_state", "logits", "pooler_output")
#: Of halves some models make float32 in the end, so only of this dtype it is known what comes out.
_KEPT = "float32"


def make(interp: Interpreter, tensor: Tensor, dtype: str | None = None) -> Ref:
    """A ``ModelOutput`` of a model with weights of ``dtype``: whatever is asked of it is a tensor where the model is."""
    known = dtype == _KEPT and interp.autocast is None
    attrs = {name: replace(tensor, dtype=dtype) for name in _OF_LAST_LAYERS} if known else {}
    return interp.new(Obj("external", CLASS, attrs=attrs, element=tensor))


def entry(obj: Obj, name: str) -> Value | None:
    """``output.logits``."""
    return obj.attrs.get(name, obj.element)


def item(obj: Obj, key: Value) -> Value | None:
    """``output["logits"]``, ``output[0]``."""
    return entry(obj, key.value) if isinstance(key, Const) and isinstance(key.value, str) else obj.element
