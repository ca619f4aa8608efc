"""Sounds and pictures that models of transformers take as they are: the first layer wants them in the dtype of its weights.

Of the models of pictures some cast what they are given (ViT, CLIP), so those that do not are listed.
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
_FIRST = "argument 1"
_TAKEN = (
    (_SOUNDS, frozenset({_FIRST, "inputs", "input_features", "input_values"})),
    (_PICTURES, frozenset({_FIRST, "pixel_values"})),
)


def among(obj: Obj, parts: list[Part]) -> list[Part]:
    """Those of a model's operands that its first layer takes as they are."""
    whole = model_outputs.class_of_whole(obj)
    name = whole.name.rpartition(".")[2] if isinstance(whole, External) else ""
    return [part for kind, roles in _TAKEN if kind.match(name) for part in parts if part.role in roles]
