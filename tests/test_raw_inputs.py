"""Models of sounds, and some of pictures, take what they are given as it is: it has to have the dtype of their weights."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
import transformers
from transformers import {model}

net = {model}(transformers.{config}()).{dtype}()
{before}
{used}
"""
_CONFIG = "AutoConfig"
_SOUNDS = [
    "WhisperModel",
    "Wav2Vec2ForCTC",
    "HubertModel",
    "WavLMModel",
    "ASTModel",
    "Speech2TextModel",
    "EncodecModel",
]
_PICTURES = [
    "ResNetModel",
    "ConvNextForImageClassification",
    "SwinModel",
    "Swinv2Model",
    "SegformerModel",
    "BeitModel",
]
_CASTING = [
    "ViTModel",
    "CLIPVisionModel",
    "Dinov2Model",
    "SiglipVisionModel",
    "BlipVisionModel",
    "DeiTModel",
    "Swin2SRModel",
]


def _program(model: str, used: str, dtype: str = "half", before: str = "") -> str:
    return PROGRAM.format(model=model, config=_CONFIG, used=used, dtype=dtype, before=before)


@pytest.mark.parametrize("model", _SOUNDS)
@pytest.mark.parametrize("given", ["x", "input_features=x", "input_values=x", "x, output_attentions=True"])
def test_sounds_have_the_dtype_of_the_weights(model: str, given: str) -> None:
    used = f"x = torch.zeros(1, 4)\nnet({given})"
    assert clashes(_program(model, used))
    assert clashes(_program(model, used, "float")) == []
    assert clashes(_program(model, used.replace("4)", "4, dtype=net.dtype)"))) == []


@pytest.mark.parametrize("model", _PICTURES)
def test_pictures_have_the_dtype_of_the_weights(model: str) -> None:
    assert clashes(_program(model, "net(pixel_values=torch.zeros(1, 3, 4, 4))"))
    assert clashes(_program(model, "net(pixel_values=torch.zeros(1, 3, 4, 4).half())")) == []


@pytest.mark.parametrize("model", _CASTING)
@pytest.mark.parametrize("given", ["torch.zeros(1, 3, 4, 4)", "pixel_values=torch.zeros(1, 3, 4, 4)"])
def test_some_models_cast_pictures(model: str, given: str) -> None:
    assert clashes(_program(model, f"net({given})")) == []


@pytest.mark.parametrize("part", ["get_encoder()", "encoder", "model.encoder", "base_model"])
def test_a_part_of_the_model_takes_the_same(part: str) -> None:
    assert clashes(_program("WhisperForConditionalGeneration", f"net.{part}(torch.zeros(1, 4))"))
    assert clashes(_program("WhisperForConditionalGeneration", f"net.{part}(torch.zeros(1, 4).half())")) == []


@pytest.mark.parametrize("given", ["x", "input_features=x, max_new_tokens=4", "inputs=x"])
def test_they_are_given_to_generate_as_well(given: str) -> None:
    used = f"x = torch.zeros(1, 4)\nnet.generate({given})"
    assert clashes(_program("WhisperForConditionalGeneration", used))
    assert clashes(_program("WhisperForConditionalGeneration", used, "float")) == []
    assert (
        clashes(_program("WhisperForConditionalGeneration", used.replace("4)", "4, dtype=net.dtype)"))) == []
    )
    assert clashes(_program("GPT2LMHeadModel", used.replace("4)", "4, dtype=torch.int64)"))) == []


@pytest.mark.parametrize(
    ("model", "used"),
    [
        ("WhisperModel", "net(torch.zeros(1, 4, dtype=torch.int64))"),
        ("WhisperModel", "net(input_features=torch.zeros(1, 4).half(), attention_mask=torch.zeros(1, 4))"),
        ("WhisperModel", "net.proj_out(torch.zeros(1, 4).half())"),
        ("WhisperModel", "with torch.autocast('cuda'):\n    net.cuda()(torch.zeros(1, 4).cuda())"),
        ("BertModel", "net(input_values=torch.zeros(1, 4))"),
        ("ResNetModel", "net(input_values=torch.zeros(1, 4))"),
    ],
)
def test_other_inputs_are_right(model: str, used: str) -> None:
    assert clashes(_program(model, used)) == []


def _fixed(text: str) -> str:
    return fix_texts({"a.py": text}, Applicability.UNSAFE)[0]["a.py"]


@pytest.mark.parametrize(
    ("model", "called", "cast"),
    [
        ("WhisperModel", "net", "x.to(net.dtype)"),
        ("WhisperModel", "net.get_encoder()", "x.to(net.dtype)"),
        ("WhisperModel", "net.encoder", "x.to(next(net.encoder.parameters()).dtype)"),
    ],
)
def test_it_is_cast_to_the_dtype_that_the_model_tells(model: str, called: str, cast: str) -> None:
    text = _program(model, f"x = torch.zeros(1, 4)\n{called}(x)")
    assert f"\n{called}({cast})\n" in _fixed(text)


def test_a_model_of_torchvision_tells_none() -> None:
    text = "import torch\nfrom torchvision.models import resnet18\nnet = resnet18().half()\nx = torch.zeros(1, 3, 8, 8)\nnet(x)\n"
    assert "\nnet(x.to(next(net.parameters()).dtype))\n" in _fixed(text)
