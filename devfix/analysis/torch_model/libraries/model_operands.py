"""The operands of a library's model: the tensors among its arguments, wherever these hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Obj, Ref, Tensor, Value, without_none
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.libraries import detection, metrics, model_outputs, movables, tokenizers
from devfix.analysis.torch_model.loading import batch_mates, batches, scripted_files
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Layers that return a dict of what they are given in one.
MAPPING = ("torchvision.ops.FeaturePyramidNetwork",)
#: What of the arguments of a model of transformers is a tensor, if anything.
_TENSORS = frozenset(
    "input_ids attention_mask token_type_ids position_ids labels pixel_values input_values input_features inputs_embeds "
    "decoder_input_ids decoder_attention_mask".split()
)


def of(interp: Interpreter, obj: Obj, name: str, site: CallSite) -> list[Part]:
    """The tensors among the arguments of a model, those in batches and in dicts included.

    What a scripted model may read on the host are not its first argument, but others.
    """
    if name.startswith(detection.PACKAGE):
        return detection.parts(interp, obj, site)
    parts: list[Part] = []
    roles = [f"argument {index + 1}" for index in range(len(site.args))]
    for role, arg in (*zip(roles, site.args, strict=True), *site.keywords.items()):
        value = _given(interp, obj, role, arg)
        counts = isinstance(value, Tensor) and metrics.is_metric(obj) and value.device.is_accelerator
        if isinstance(value, Tensor) and (value.rank != 0 or counts):
            parts.append(Part(value, role, arg.node))
        elif isinstance(value, Ref) and name in MAPPING:
            parts.extend(Part(tensor, role, arg.node) for tensor in batches.leaves(interp, value))
        elif isinstance(value, Ref) and movables.is_batch(interp, value):
            parts.extend(tokenizers.parts(interp, value, arg.node))
    if site.unnamed is not None and isinstance(value := _given(interp, obj, "", site.unnamed), Tensor):
        parts.append(Part(value, "input", site.unnamed.node))
    return parts[:1] if name == scripted_files.CLASS else parts


def _given(interp: Interpreter, obj: Obj, role: str, arg: Arg) -> Value:
    """An argument of a model: of a batch that nobody knows what was moved, or left where it was by a name for tensors."""
    value = without_none(arg.value)
    if metrics.is_metric(obj):
        return value
    left = batch_mates.tensor(interp, value) if role in _TENSORS and model_outputs.answers(obj) else None
    return left if left is not None else batch_mates.operand(interp, value)
