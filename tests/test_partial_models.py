"""Models of torchvision: extractors that hold another model's modules, layers with weights, hooks of parts."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn
from torchvision.models import resnet18
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.feature_extraction import create_feature_extractor

class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(3, 3)

    def forward(self, x):
        return self.last(x)

net = {net}
{before}
part = {maker}
{after}
found = part(torch.zeros(1, 3).cuda())
{used}
"""
_MAKERS = ('create_feature_extractor(net, ["last"])', 'IntermediateLayerGetter(net, dict(last="out"))')


@pytest.mark.parametrize("maker", _MAKERS)
@pytest.mark.parametrize("net", ["resnet18()", "Own()"])
@pytest.mark.parametrize("moved", ["before", "after", "after by the other"])
def test_it_is_where_the_other_is(net: str, maker: str, moved: str) -> None:
    before, after = {
        "before": ("net.cuda()", ""),
        "after": ("", "part.cuda()"),
        "after by the other": ("", "net.cuda()"),
    }[moved]
    text = PROGRAM.format(net=net, before=before, maker=maker, after=after, used="")
    assert clashes(text) == []
    assert clashes(f"{text}net(torch.zeros(1, 3).cuda())") == []
    assert clashes(f'{text}found["out"] + torch.zeros(3)')
    assert clashes(f'{text}found["out"] + torch.zeros(3).cuda()') == []


@pytest.mark.parametrize("maker", _MAKERS)
@pytest.mark.parametrize("net", ["resnet18()", "Own()"])
def test_it_stays_where_the_other_stays(net: str, maker: str) -> None:
    assert clashes(PROGRAM.format(net=net, before="", maker=maker, after="", used=""))


HEADED = """
import torch
from torch import nn
from torchvision.models import resnet18
from torchvision.models.feature_extraction import create_feature_extractor

net = resnet18().cuda()
net.fc = nn.Linear(512, 10)
part = create_feature_extractor(net, {"layer4": "out"})
part(torch.zeros(1, 3).cuda())
"""


def test_what_comes_after_the_layers_is_not_run() -> None:
    assert clashes(HEADED) == []
    assert clashes(f"{HEADED}net(torch.zeros(1, 3).cuda())")


@pytest.mark.parametrize("maker", _MAKERS)
def test_what_the_model_does_with_the_last_result_does_not_count(maker: str) -> None:
    text = PROGRAM.format(net="Own().cuda()", before="", maker=maker, after="", used="")
    text = text.replace("return self.last(x)", "return self.last(x).cpu()")
    assert clashes(f'{text}found["out"] + torch.zeros(3).cuda()') == []
    assert clashes(f'{text}found["out"] + torch.zeros(3)')


LAYERS = """
import torch
from torch import nn
from torchvision.ops import {name}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = {made}

    def forward(self, x):
        return self.part(x)

net = Net(){moved}
found = net({given})
{used}
"""
_LAYERS = [
    ("Conv2dNormActivation", "Conv2dNormActivation(1, 2)"),
    ("SqueezeExcitation", "SqueezeExcitation(8, 2)"),
    ("MLP", "MLP(3, [3, 2])"),
]


@pytest.mark.parametrize(("name", "made"), _LAYERS)
def test_layers_of_torchvision_have_weights(name: str, made: str) -> None:
    text = LAYERS.format(name=name, made=made, moved="{}", given="torch.zeros(3).cuda()", used="{}")
    assert clashes(text.format("", ""))
    assert clashes(text.format(".cuda()", "")) == []
    assert clashes(text.format(".cuda()", "found + torch.zeros(3)"))


def test_a_pyramid_gives_a_dict() -> None:
    text = LAYERS.format(
        name="FeaturePyramidNetwork",
        made="FeaturePyramidNetwork([3], 3)",
        moved=".cuda()",
        given='{"a": torch.zeros(3).cuda()}',
        used="for level in found.values():\n    level + torch.zeros(3){}",
    ).replace("{}", "{0}")
    assert clashes(text.replace("{0}", ""))
    assert clashes(text.replace("{0}", ".cuda()")) == []


HOOKED = """
import torch
from torchvision.models import resnet18

kept = {{}}

def keep(layer, args, output):
    kept["part"] = output

net = resnet18().cuda()
net.{part}.register_forward_hook(keep)
net(torch.zeros(1, 3).cuda())
kept["part"] + torch.zeros(3){placed}
"""


@pytest.mark.parametrize("part", ['get_submodule("layer1")', "layer1", "layer1[0]"])
def test_hooks_of_parts_see_what_is_beside_the_model(part: str) -> None:
    assert clashes(HOOKED.format(part=part, placed=""))
    assert clashes(HOOKED.format(part=part, placed=".cuda()")) == []


REPLACING = """
import torch
from torchvision.models import resnet18

seen = []
net = resnet18().cuda()
net.fc.register_forward_hook(lambda layer, args, output: {hook})
net(torch.zeros(1, 3).cuda()) + torch.zeros(3)
"""


def test_a_hook_of_a_part_may_put_something_else_in_place_of_the_result() -> None:
    assert clashes(REPLACING.format(hook="output.cpu()")) == []
    assert clashes(REPLACING.format(hook="seen.append(output)"))
    assert clashes(REPLACING.format(hook="output"))


COUNTED = """
import numpy as np
import torch
from torchvision.models import resnet18

net = resnet18().cuda()
np.zeros(net.bn1.{asked})
"""


@pytest.mark.parametrize(
    "asked", ["running_mean.numel()", "num_batches_tracked.item()", "weight.numel()", "running_var.size(0)"]
)
def test_what_a_part_tells_in_numbers_is_anywhere(asked: str) -> None:
    assert clashes(COUNTED.format(asked=asked)) == []


def test_the_statistics_of_a_part_are_beside_its_weights() -> None:
    assert clashes(COUNTED.format(asked="weight")) == clashes(COUNTED.format(asked="running_mean")) != []
