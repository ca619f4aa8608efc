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


LAYERS = """
import torch
from torch import nn
from torch.nn import functional as F
from torchvision import models, ops

class Widening(nn.Module):
    def forward(self, x):
        return x.double()

class Stage(nn.Sequential):
    def __init__(self, inside, out):
        super().__init__(ops.Conv2dNormActivation(inside, out), ops.SqueezeExcitation(out, 2))

class Block(ops.Conv2dNormActivation):
    def __init__(self):
        super().__init__(3, 4, 3)

class Casting(ops.Conv2dNormActivation):
    def forward(self, x):
        return super().forward(x.float())

picture = torch.zeros(2, 3, 8, 8, device="cuda", dtype=torch.{dtype})
made = {made}.cuda()
{used}
"""
_LAYERS = [
    ("ops.Conv2dNormActivation(3, 4)", "made(picture)"),
    ("ops.SqueezeExcitation(3, 2)", "made(picture)"),
    ("ops.MLP(8, [4])", "made(picture)"),
    ("ops.FeaturePyramidNetwork([3], 4)", 'made({"a": picture})["a"]'),
    ("Stage(3, 4)", "made(picture)"),
    ("Block()", "made(picture)"),
]


@pytest.mark.parametrize(("made", "used"), _LAYERS)
def test_layers_of_torchvision_take_what_their_weights_meet(made: str, used: str) -> None:
    for dtype in ("float64", "uint8"):
        assert clashes(LAYERS.format(dtype=dtype, made=made, used=used)) == ["25: dtype"]
    assert clashes(LAYERS.format(dtype="float32", made=made, used=used)) == []
    assert clashes(LAYERS.format(dtype="float64", made=f"{made}.double()", used=used)) == []


def test_a_layer_of_the_program_may_cast_what_it_is_given() -> None:
    made, used = "Casting(3, 4)", "made(picture)"
    assert clashes(LAYERS.format(dtype="float64", made=made, used=used)) == []


_WIDE = "nn.Conv2d(4, 1, 1).double().cuda()({})"


@pytest.mark.parametrize(("made", "used"), _LAYERS)
def test_what_they_make_has_the_dtype_of_their_weights(made: str, used: str) -> None:
    assert clashes(LAYERS.format(dtype="float32", made=made, used=_WIDE.format(used))) == ["25: dtype"]
    wide = LAYERS.format(dtype="float64", made=f"{made}.double()", used=_WIDE.format(used))
    assert clashes(wide) == []


@pytest.mark.parametrize(
    "made",
    [
        "ops.Conv2dNormActivation(3, 4, activation_layer=Widening)",
        "ops.Conv2dNormActivation(3, 4, 3, 1, 1, 1, Widening)",
        "ops.MLP(8, [4], activation_layer=lambda: Widening())",
        "ops.SqueezeExcitation(3, 2, scale_activation=Widening)",
    ],
)
def test_what_layers_of_the_program_make_in_them_is_not_known(made: str) -> None:
    text = LAYERS.format(dtype="float32", made=made, used=_WIDE.format("made(picture)"))
    assert clashes(text) == []


@pytest.mark.parametrize("changed", ["", "made.fc = nn.Linear(512, 1).cuda()"])
def test_networks_give_the_dtype_of_their_weights(changed: str) -> None:
    used = (
        "F.mse_loss(made(picture).flatten(), torch.zeros(2, dtype=torch.{}, device='cuda')).backward()".format
    )
    texts = [
        LAYERS.format(
            dtype="float32", made="models.resnet18(num_classes=1)", used=f"{changed}\n{used(wanted)}"
        )
        for wanted in ("float64", "float32")
    ]
    assert clashes(texts[0]) == ["26: dtype"]
    assert clashes(texts[1]) == []


@pytest.mark.parametrize(
    "changed",
    [
        "made.fc = nn.Sequential(nn.Linear(512, 1), Widening()).cuda()",
        "made.layer4.append(Widening())",
        "made.layer4.add_module('wide', Widening())",
        "made.layer4[1] = Widening()",
        "made.layer4[1].relu = Widening()",
        "made.fc.register_forward_hook(lambda m, a, out: out.double())",
    ],
)
def test_what_parts_of_the_program_make_is_not_known(changed: str) -> None:
    used = f"{changed}\nF.mse_loss(made(picture).flatten(), torch.zeros(2, dtype=torch.float64, device='cuda')).backward()"
    assert clashes(LAYERS.format(dtype="float32", made="models.resnet18(num_classes=1)", used=used)) == []


def test_autocast_takes_care_of_what_layers_are_given() -> None:
    used = "with torch.autocast('cuda', dtype=torch.bfloat16):\n    made(picture).sum().backward()"
    for dtype in ("float32", "float16"):
        assert clashes(LAYERS.format(dtype=dtype, made="ops.Conv2dNormActivation(3, 4)", used=used)) == []


@pytest.mark.parametrize(
    "changed",
    [
        "made[0] = nn.Conv2d(3, 4, 3).double().cuda()",
        "made.insert(0, Widening())\nmade.double()",
        "made.append(Widening())",
        "made[2].register_forward_hook(lambda module, given, result: result.double())",
    ],
)
def test_layers_that_are_sequences_may_be_given_other_parts(changed: str) -> None:
    dtype = "float64" if "[0]" in changed else "float32"
    used = f"{changed}\nnn.Conv2d(4, 2, 1).double().cuda()(made(picture))"
    text = LAYERS.format(dtype=dtype, made="ops.Conv2dNormActivation(3, 4)", used=used)
    assert clashes(text) == []
    if dtype == "float32":
        assert len(clashes(text.replace(changed, "pass"))) == 1


@pytest.mark.parametrize(
    ("changed", "dtype"),
    [
        ("made.fc.register_forward_hook(lambda module, given, result: result.double())", "float32"),
        ("made.conv1.register_forward_pre_hook(lambda module, given: (given[0].float(),))", "float64"),
    ],
)
def test_hooks_of_parts_may_cast_what_a_model_takes_and_gives(changed: str, dtype: str) -> None:
    used = "made.fc = nn.Linear(512, 4).cuda()\n" + changed + "\nout = made(picture)"
    if dtype == "float32":
        used += "\nnn.Linear(4, 2).double().cuda()(out)"
    text = LAYERS.format(dtype=dtype, made="models.resnet18()", used=used)
    assert clashes(text) == []
    assert len(clashes(text.replace(changed, "pass"))) == 1
