"""Models of torchvision and timm take pictures of the dtype of their weights, and regions that of the features."""

from __future__ import annotations

import pytest
from text_program import clashes

MODEL = """
import torch
from torch import nn
from torchvision.models import resnet18

class Casting(nn.Conv2d):
    def forward(self, x):
        return super().forward(x.float())

net = resnet18().cuda()
{changed}
net(torch.zeros(1, 3, 8, 8, device="cuda", dtype=torch.{dtype}))
"""


@pytest.mark.parametrize(
    ("dtype", "changed"), [("float64", ""), ("float16", ""), ("float32", "net.double()")]
)
def test_pictures_of_another_dtype_are_refused(dtype: str, changed: str) -> None:
    assert clashes(MODEL.format(dtype=dtype, changed=changed)) == ["12: dtype"]


@pytest.mark.parametrize(
    ("dtype", "changed"),
    [
        ("float32", ""),
        ("float64", "net.double()"),
        ("float16", "net.half()"),
        ("float64", "net.conv1 = Casting(3, 64, 7).cuda()"),
    ],
)
def test_pictures_that_fit_are_right(dtype: str, changed: str) -> None:
    assert clashes(MODEL.format(dtype=dtype, changed=changed)) == []


REGIONS = """
import torch
from torchvision.ops import box_iou, nms, roi_align

features = torch.zeros(1, 2, 8, 8)
boxes = torch.zeros(1, 4, dtype=torch.float64)
with torch.autocast("cuda", enabled={autocast}):
    {used}
"""


@pytest.mark.parametrize("used", ["roi_align(features, [boxes], 2)", "nms(boxes, torch.ones(1), 0.5)"])
def test_regions_have_the_dtype_of_what_they_are_cut_from(used: str) -> None:
    text = REGIONS.format(used=used, autocast="False")
    assert clashes(text) == ["8: dtype"]
    assert clashes(text.replace("dtype=torch.float64", "dtype=torch.float32")) == []
    assert clashes(REGIONS.format(used=used, autocast="True")) == []


def test_what_promotes_takes_both() -> None:
    assert clashes(REGIONS.format(used="box_iou(boxes, boxes.float())", autocast="False")) == []
