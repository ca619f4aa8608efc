"""Masks that attention drops before it looks where they are: those that say no more than "what comes later".

``nn.TransformerEncoder`` and ``nn.TransformerDecoder`` compare the mask with a causal one, on the mask's own device, and
``is_causal=True`` says that it is one. Without a padding mask the kernel is then asked for causal attention and gets no
mask. Only where the fast path is taken, by what is evaluated without gradients, is the mask handed on. (torch 2.11 on an
H200, and ``torch.nn.functional.multi_head_attention_forward``.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import FALSE, NONE, TRUE, Const, Obj, Ref, Tensor, Value
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: The fact of an encoder layer that is ready for the fast path.
_READY = "fast path"
_BUILT = {
    # The positions of the activation and of batch_first.
    "TransformerEncoderLayer": (4, 6),
    "TransformerDecoderLayer": (4, 6),
    "Transformer": (6, 10),
}
#: The types of masks for which there is a fast path: of an encoder layer, and of attention itself.
_BOOLEAN = ("bool",)
_EITHER = ("bool", "float32")


@frozen
class _Hint:
    """What says that a mask is causal: an argument, or the mask itself where it is ``seen`` through.

    ``weighed``: not where the weights are asked for. ``fast``: masks of which types the fast path is for.
    """

    position: int
    name: str
    padding: str
    seen: bool = False
    weighed: bool = False
    fast: tuple[str, ...] = ()


_HINTS: dict[str, dict[str, _Hint]] = {
    "MultiheadAttention": {"attn_mask": _Hint(7, "is_causal", "key_padding_mask", weighed=True)},
    "TransformerEncoderLayer": {"src_mask": _Hint(3, "is_causal", "src_key_padding_mask", fast=_EITHER)},
    "TransformerEncoder": {"mask": _Hint(3, "is_causal", "src_key_padding_mask", seen=True, fast=_EITHER)},
    "TransformerDecoderLayer": {
        "tgt_mask": _Hint(6, "tgt_is_causal", "tgt_key_padding_mask", fast=_BOOLEAN),
        "memory_mask": _Hint(7, "memory_is_causal", "memory_key_padding_mask"),
    },
    "TransformerDecoder": {
        "tgt_mask": _Hint(6, "tgt_is_causal", "tgt_key_padding_mask", seen=True, fast=_BOOLEAN),
        "memory_mask": _Hint(7, "memory_is_causal", "memory_key_padding_mask"),
    },
    "Transformer": {
        "src_mask": _Hint(8, "src_is_causal", "src_key_padding_mask", seen=True, fast=_EITHER),
        "tgt_mask": _Hint(9, "tgt_is_causal", "tgt_key_padding_mask", seen=True, fast=_BOOLEAN),
        "memory_mask": _Hint(10, "memory_is_causal", "memory_key_padding_mask"),
    },
}


def built(name: str, obj: Obj, site: CallSite) -> Obj:
    """A layer that was just made, which knows whether it is ready for the fast path."""
    if name not in _BUILT or "bias" in site.keywords:
        return obj
    activation, batch_first = _BUILT[name]
    number, function = site.value(1, "nhead"), site.value(activation, "activation")
    even = isinstance(number, Const) and isinstance(number.value, int) and number.value % 2 == 0
    usual = function is None or (isinstance(function, Const) and function.value in ("relu", "gelu"))
    first = site.value(batch_first, "batch_first") == TRUE
    return obj.with_fact(_READY, TRUE) if even and usual and first else obj


def compared(interp: Interpreter, ref: Ref, name: str, parts: list[Part], site: CallSite) -> list[Part]:
    """The operands without masks that may be dropped before anything is compared with them.

    A program that is adopted moves them all.
    """
    hints = _HINTS.get(name)
    if hints is None or site.open or interp.program.adopts:
        return parts
    given = {id(arg.node) for arg in site.all_args() if isinstance(arg.value, Tensor)}
    padded = {part.role for part in parts if id(part.node) in given}
    return [
        part
        for part in parts
        if not _may_be_dropped(interp, ref, hints.get(part.role), part.tensor, padded, site)
    ]


def _may_be_dropped(
    interp: Interpreter, ref: Ref, hint: _Hint | None, mask: Tensor, padded: set[str], site: CallSite
) -> bool:
    if hint is None or hint.padding in padded:
        return False
    said = site.value(hint.position, hint.name)
    if said == FALSE or (said in (None, NONE) and not hint.seen):
        return False
    if hint.weighed and site.value(4, "need_weights") in (None, TRUE):
        return False
    return not (mask.dtype in hint.fast and _is_fast(interp, interp.obj(ref)))


def _is_fast(interp: Interpreter, obj: Obj) -> bool:
    """Whether an encoder takes its fast path for certain: evaluated, and no gradients are recorded."""
    layer: Value | None = obj.attrs.get("layers")
    ready = interp.obj(layer) if isinstance(layer, Ref) else obj
    waits = interp.grad is not False or interp.autocast is not None
    return ready.facts.get(_READY) == TRUE and obj.facts.get("training") == FALSE and not waits
