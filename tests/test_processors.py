"""What a processor makes of pictures and sounds is a tensor on the CPU whose dtype nobody knows; a tokenizer gives integers."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
from torch import nn
from transformers import AutoFeatureExtractor, AutoProcessor, AutoTokenizer, CLIPImageProcessor

maker = {maker}.from_pretrained("any")
net = nn.Linear(3, 3){move}
net(maker([1, 2], return_tensors="pt")["values"])
"""
PROCESSORS = ["AutoProcessor", "AutoFeatureExtractor", "CLIPImageProcessor"]


@pytest.mark.parametrize("maker", PROCESSORS)
def test_the_values_of_pictures_are_no_integers(maker: str) -> None:
    assert not clashes(PROGRAM.format(maker=maker, move=""))


def test_those_of_texts_are() -> None:
    assert clashes(PROGRAM.format(maker="AutoTokenizer", move="")) == ["7: dtype"]


@pytest.mark.parametrize("maker", PROCESSORS)
def test_all_of_them_are_on_the_cpu(maker: str) -> None:
    assert clashes(PROGRAM.format(maker=maker, move=".cuda()")) == ["7: device"]


def test_a_processor_may_be_told_where_to_make_them() -> None:
    text = PROGRAM.format(maker="AutoProcessor", move=".cuda()")
    assert not clashes(text.replace('"pt")', '"pt", device=net.weight.device)'))
    assert clashes(text.replace('"pt")', '"pt", device=None)')) == ["7: device"]


SOUNDS = """
import torch
from transformers import AutoProcessor, Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2ForCTC

net = Wav2Vec2ForCTC(Wav2Vec2Config()).cuda().{dtype}()
batch = {maker}.from_pretrained("any")([1.0, 2.0], return_tensors="pt").to({place})
net({given})
"""
_GIVEN = [
    'batch["input_values"]',
    "batch.input_values",
    'batch.get("input_values")',
    'batch["input_features"]',
]


@pytest.mark.parametrize("maker", ["AutoProcessor", "Wav2Vec2FeatureExtractor"])
@pytest.mark.parametrize("given", _GIVEN)
def test_sounds_are_float32(maker: str, given: str) -> None:
    text = SOUNDS.format(maker=maker, given=given, dtype="{}", place="{}")
    assert clashes(text.format("half", '"cuda"'))
    assert clashes(text.format("float", '"cuda"')) == []
    assert clashes(text.format("half", 'device="cuda", dtype=torch.float16')) == []
    assert clashes(text.format("half", '"cuda", net.dtype')) == []
    assert clashes(text.format("float", '"cuda", torch.float16'))


def test_what_else_stands_beside_them_may_have_another_dtype() -> None:
    text = SOUNDS.format(maker="AutoProcessor", dtype="half", place='"cuda"', given='batch["{}"]')
    assert clashes(text.format("pixel_values")) == clashes(text.format("input_ids")) == []
