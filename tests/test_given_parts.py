"""Models of torchvision that a program puts together of parts of its own hold these, and move with them."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

_TEXT = """
import torch
from torch import nn
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.detection import FCOS, FasterRCNN
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.segmentation import DeepLabV3


class Trunk(nn.Module):
    out_channels = 32

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 32, 3)
        self.grid = torch.ones(1)

    def forward(self, x):
        return {{"out": self.conv(x)}}


def build():
    anchors = AnchorGenerator(sizes=((8,),), aspect_ratios=((1.0,),))
    return {made}


model = build(){moved}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{used}
"""
_DETECTED = """losses = model([torch.rand(3, 64, 64)], [{"boxes": torch.tensor([[1.0, 2, 5, 6]]), "labels": torch.tensor([1])}])
sum(losses.values()).backward()
optimizer.step()"""
_SEGMENTED = 'model(torch.rand(2, 3, 8, 8))["out"].sum().backward()\noptimizer.step()'
_MADE = [
    ("FCOS(Trunk(), num_classes=2, anchor_generator=anchors)", _DETECTED),
    ("FasterRCNN(backbone=Trunk(), num_classes=2, rpn_anchor_generator=anchors)", _DETECTED),
    ("DeepLabV3(Trunk(), nn.Conv2d(32, 2, 1))", _SEGMENTED),
]


@pytest.mark.parametrize(("made", "used"), _MADE)
def test_what_is_given_moves_with_the_whole(made: str, used: str) -> None:
    text = _TEXT.format(made=made, moved="", used=used)
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE, adopt=True)[0]["main.py"]
    made_there = fixed.partition("    return {")[2] + fixed.partition("anchors = ")[2]
    assert "Trunk()" in made_there
    assert "Trunk().to(" not in fixed
    assert f"return {made}" in fixed or f"return {made}.to(device)" in fixed
    assert fixed.count("build().to(device)") + fixed.count(f"{made}.to(device)") == 1


@pytest.mark.parametrize("made", [made for made, _ in _MADE])
def test_a_part_is_where_the_whole_was_moved(made: str) -> None:
    used = "print(model.backbone.conv.weight.sum() * torch.ones(2, device='cuda'))\nprint(model.backbone.conv.weight @ torch.ones(2))"
    text = _TEXT.format(made=made, moved='.to("cuda")', used=used)
    assert clashes(text) == [f"{len(text.splitlines())}: device"]


def test_what_a_pyramid_is_given_is_its_body() -> None:
    text = (
        _TEXT.format(
            made="BackboneWithFPN(backbone=Trunk(), return_layers={}, in_channels_list=[], out_channels=8)",
            moved='.to("cuda")',
            used="print(model.body.conv.weight @ torch.ones(2))",
        )
        .replace("FCOS,", "FCOS, backbone_utils,")
        .replace("return Back", "return backbone_utils.Back")
    )
    assert clashes(text) == [f"{len(text.splitlines())}: device"]
