"""sentence-transformers: models that go to the accelerator by themselves, and answer with arrays or with tensors there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    External,
    Obj,
    Tensor,
    Value,
    without_none,
)
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.arguments import device_of
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

CLASS = "sentence_transformers.SentenceTransformer"
#: What may place a model in another way, and what may have it answer with something else.
_PLACING = ("model_kwargs", "backend")
_OTHERWISE = ("output_value", "precision", "device", "pool")
_ENCODING = ("encode", "encode_query", "encode_document")
#: So many positions mean neither what is answered nor where, in all versions of the library.
_SAME_EVERYWHERE = 3


def construct(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``SentenceTransformer("name")``: on the accelerator, unless it is told where."""
    trail = (interp.site("module", site.node),)
    is_plain = not site.open and not any(option in site.keywords for option in _PLACING)
    place = Tensor(
        _asked(site.value(2, "device")) if is_plain else UNKNOWN_DEVICE,
        "float32" if is_plain else None,
        AT_LEAST_1, parameter=True, grad=True, leaf=True, trail=trail,
    )  # fmt: skip
    return interp.new(Obj("module", External(CLASS), place=place, trail=trail))


def _asked(told: Value | None) -> Device:
    return ACCELERATOR if told in (None, NONE) else device_of(told) or UNKNOWN_DEVICE


def is_one(obj: Obj) -> bool:
    """Whether an object is such a model, which takes texts and answers with dicts when it is called itself."""
    return isinstance(obj.cls, External) and obj.cls.name == CLASS


def method(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> Value:
    """``model.encode(texts)`` is an array, with ``convert_to_tensor=True`` a tensor beside the model."""
    if name in ("similarity", "similarity_pairwise"):
        return _compared(interp, name, site)
    if name not in _ENCODING or obj.place is None or site.open or len(site.args) > _SAME_EVERYWHERE:
        return UNKNOWN
    if any(option in site.keywords for option in _OTHERWISE):
        return UNKNOWN
    dtype = obj.place.dtype if obj.place.dtype == "float32" else None
    asked, arrays = site.value(None, "convert_to_tensor"), site.value(None, "convert_to_numpy")
    if asked == TRUE:
        trail = (interp.site("result", site.node),)
        return Tensor(obj.place.device, dtype, AT_LEAST_1, grad=False, leaf=True, trail=trail)
    if asked in (None, FALSE) and arrays in (None, TRUE):
        return Array(dtype, AT_LEAST_1, (interp.site("array", site.node),))
    return UNKNOWN


def _compared(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``util.cos_sim(a, b)``: two tensors are multiplied; of arrays they would be made on the CPU."""
    parts: list[Part] = []
    for position, role in enumerate(("a", "b")):
        arg = site.get(position, role, f"embeddings{position + 1}")
        value = without_none(arg.value) if arg is not None else UNKNOWN
        if not isinstance(value, Tensor):
            return UNKNOWN
        parts.append(Part(value, role, arg and arg.node))
    device = requirements.meet(interp, site.node, name, parts, scalars=False)
    return Tensor(device, None, AT_LEAST_1, trail=(interp.site("result", site.node),))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    CLASS: construct,
    **{
        f"sentence_transformers.util.{name}": _compared
        for name in ("cos_sim", "pytorch_cos_sim", "dot_score")
    },
}
