"""What torchvision has beside models: layers of regions, files that are read, tensors with a meaning, transforms of several."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn
from torchvision import models, ops, tv_tensors
from torchvision.io import read_image
from torchvision.transforms import v2

pictures = torch.rand(2, 3, 8, 8).cuda()
rois = [torch.ones(1, 4){placed}, torch.ones(1, 4){placed}]
model = models.vgg16().cuda()
{used}
"""


def _clashes(used: str, placed: str = "") -> list[str]:
    return clashes(PROGRAM.format(used=used, placed=placed))


@pytest.mark.parametrize(
    "used",
    [
        "ops.RoIAlign((4, 4), 1.0, 2)(pictures, rois)",
        "ops.RoIPool((4, 4), 1.0)(pictures, rois)",
        'ops.MultiScaleRoIAlign(["a"], 4, 2)({"a": pictures}, rois, [(8, 8)])',
    ],
)
def test_regions_are_beside_the_pictures(used: str) -> None:
    assert _clashes(used)
    assert _clashes(used, ".cuda()") == []
    assert _clashes(f"({used}) + torch.zeros(1, 3, 1, 1)", ".cuda()")


def test_the_parts_of_a_deformed_convolution_are_in_one_place() -> None:
    used = "ops.deform_conv2d(pictures, {}, {}{})".format
    offset, weight = "torch.zeros(2, 18, 6, 6)", "torch.zeros(4, 3, 3, 3)"
    there = f"{offset}.cuda()", f"{weight}.cuda()"
    assert _clashes(used(*there, "")) == []
    assert _clashes(used(offset, there[1], ""))
    assert _clashes(used(there[0], weight, ""))
    assert _clashes(used(*there, ", mask=torch.zeros(2, 9, 6, 6)"))


def test_a_pyramid_takes_all_scales() -> None:
    used = "pyramid = ops.FeaturePyramidNetwork([3, 3], 4).cuda()\npyramid({{'a': pictures, 'b': pictures{}}})".format
    assert _clashes(used(".cpu()"))
    assert _clashes(used("")) == []


@pytest.mark.parametrize(
    "part",
    ["model.classifier[6]", "model.features[0]", "model.head", "model.roi_heads.box_predictor"],
)
def test_a_part_that_is_replaced_meets_the_others(part: str) -> None:
    assert _clashes(f"{part} = nn.Linear(4, 4)\nmodel(pictures)")
    assert _clashes(f"{part} = nn.Linear(4, 4).cuda()\nmodel(pictures)") == []
    assert _clashes(f"{part} = nn.Linear(4, 4)\nmodel.cuda()\nmodel(pictures)") == []
    assert _clashes(f"{part} = nn.Identity()\nmodel(pictures)") == []


@pytest.mark.parametrize(
    "made",
    [
        'read_image("a.png").float()',
        'models.VGG16_Weights.DEFAULT.transforms()(read_image("a.png"))',
        "models.VGG16_Weights.IMAGENET1K_V1.transforms()(picture)",
        "tv_tensors.Image(torch.rand(2, 3, 8, 8))",
        "tv_tensors.Image([[[[0.5] * 8] * 8] * 3])",
        "v2.functional.resize(torch.rand(2, 3, 8, 8), [4, 4])",
    ],
)
def test_pictures_that_are_made_are_on_the_cpu(made: str) -> None:
    assert _clashes(f"model({made})")
    assert _clashes(f"model({made}.cuda())") == []


def test_what_weights_bring_along_keeps_pictures_where_they_are() -> None:
    used = "prepare = models.VGG16_Weights.DEFAULT.transforms()\nmodel(prepare({}))".format
    assert _clashes(used("(pictures * 255).byte()")) == []
    assert _clashes(used("pictures.cpu()"))


_TO_FLOATS = "v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True)])"


@pytest.mark.parametrize("given", ["read_image('a.png'), {}", "(read_image('a.png'), {})"])
@pytest.mark.parametrize("label", ["3", "torch.tensor([0, 2])", "torch.tensor(3)"])
def test_what_comes_with_a_picture_stays_what_it_is(given: str, label: str) -> None:
    used = f"from torchvision.io import read_image\nx, y = {_TO_FLOATS}({given.format(label)})\n"
    assert _clashes(f"{used}torch.nn.functional.one_hot(torch.as_tensor(y), 4)") == []
    assert _clashes(f"{used}x + torch.ones(3, 4, 4).cuda()")


def test_what_a_mask_is_cast_to_is_not_known() -> None:
    used = "x, y = v2.ToDtype({tv_tensors.Mask: torch.int64})(torch.ones(3, 4, 4), tv_tensors.Mask(torch.ones(4, 4)))\n"
    used += "torch.nn.functional.one_hot(y, 4)"
    assert _clashes(f"from torchvision import tv_tensors\n{used}") == []


def test_the_entries_of_a_sample_are_not_one_picture() -> None:
    used = f"sample = {_TO_FLOATS}({{'image': torch.ones(3, 4, 4), 'label': 3}})\n"
    assert _clashes(f"{used}torch.nn.functional.one_hot(torch.as_tensor(sample['label']), 4)") == []


def test_transforms_of_several_keep_each_where_it_is() -> None:
    used = "x, y = v2.{}(num_classes=3)(pictures, torch.zeros(2, dtype=torch.int64){})\nx.sum() + y".format
    for kind in ("CutMix", "MixUp"):
        assert _clashes(used(kind, ""))
        assert _clashes(used(kind, ".cuda()")) == []
    assert _clashes("x, box = v2.Resize(4)(pictures, rois[0])\nx[0, 0, :1, :4] + box")
    assert _clashes("x, box = v2.Resize(4)(pictures, rois[0])\nx[0, 0, :1, :4] + box", ".cuda()") == []


_HELPERS = [
    ("detection._utils", "BoxCoder((10.0, 10.0, 5.0, 5.0))", "made.encode_single(x, x)"),
    ("detection._utils", "BoxLinearCoder()", "made.encode(x, x)"),
    ("detection._utils", "Matcher(0.5, 0.5)", "made(x)"),
    ("detection.anchor_utils", "AnchorGenerator()", "made(x, [x])"),
    ("detection.rpn", "AnchorGenerator()", "made(x, [x])"),
    ("detection.anchor_utils", "DefaultBoxGenerator([[2]])", "made(x, [x])"),
    ("detection.transform", "GeneralizedRCNNTransform(8, 8, [0.0], [1.0])", "made([x])"),
]


@pytest.mark.parametrize(("module", "made", "used"), _HELPERS)
def test_what_has_no_parameters_works_anywhere(module: str, made: str, used: str) -> None:
    name = made.partition("(")[0]
    text = f"import torch\nfrom torchvision.models.{module} import {name}\nmade = {made}\nx = torch.zeros(4, 4).cuda()\n{used}\n"
    assert clashes(text) == []


def test_other_classes_among_the_models_have_some() -> None:
    made = "from torchvision.models.detection.faster_rcnn import TwoMLPHead\nmade = TwoMLPHead(4, 4)\n"
    assert clashes(f"import torch\n{made}made(torch.zeros(4, 4).cuda())\n")
