"""What models of transformers take as it is: the first layer wants it in the dtype of its weights.

Sounds and pictures are such, and embedded tokens. Of the models of pictures some cast what they are given (ViT, CLIP), so
those that do not are listed.
"""

from __future__ import annotations

import re

from devfix.analysis.domain.values import External, Obj
from devfix.analysis.torch_model.libraries import model_outputs
from devfix.analysis.torch_model.tensors.requirements import Part

_SOUNDS = re.compile(
    r"Whisper|Wav2Vec2|Hubert|WavLM|UniSpeech|SEW|Data2VecAudio|AST[FM]|Speech2Text|Moonshine|Encodec|"
    r"AutoModelFor(CTC|SpeechSeq2Seq|AudioClassification)"
)
_PICTURES = re.compile(
    r"Beit|ResNet|ConvNext|Swinv?2?[FMB]|Segformer|MobileNetV2|RegNet|ViTMAE|VideoMAE|PoolFormer|Timesformer|Levit|Cvt"
)
#: Models that cast embedded tokens in each of their norms, or go on in wider floats, and what may make one of them.
_CASTING = re.compile(
    r"(M|UM|Long)?T5|SwitchTransformers|Pop2Piano|Udop|(Falcon)?Mamba|AutoModel(ForSeq2SeqLM|ForTextEncoding)?$"
)
_HALVES = frozenset({"float16", "bfloat16"})
_EMBEDDED, _FIRST = "inputs_embeds", "argument 1"
_TAKEN = (
    (_SOUNDS, frozenset({_FIRST, "inputs", "input_features", "input_values"})),
    (_PICTURES, frozenset({_FIRST, "pixel_values"})),
)


def among(obj: Obj, parts: list[Part]) -> list[Part]:
    """Those of a model's operands that its first layer takes as they are."""
    name = _name(obj)
    return [part for kind, roles in _TAKEN if kind.match(name) for part in parts if part.role in roles]


def embedded(obj: Obj, parts: list[Part], weight: Part) -> list[Part]:
    """Embedded tokens among a model's operands that have to have the dtype of its weights.

    Halves do not, in a model of wider floats: positions and norms make them as wide.
    """
    given = [part for part in parts if part.role == _EMBEDDED]
    if _CASTING.match(_name(obj)):
        return []
    if weight.tensor.dtype in _HALVES:
        return given
    return [part for part in given if part.tensor.dtype not in _HALVES]


def _name(obj: Obj) -> str:
    whole = model_outputs.class_of_whole(obj)
    return whole.name.rpartition(".")[2] if isinstance(whole, External) else ""
