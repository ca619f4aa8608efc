"""What a model may be that only some runs wrap: the wrapper has its own methods, and the model no ``module``."""

from __future__ import annotations

import pytest
from text_program import clashes
from torch import nn

from devfix.analysis.torch_model.modules import part_names, wrapper_attributes

PROGRAM = """
import os
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def parts(self, batch):
        return batch[0], batch[1]

    def forward(self, x):
        return self.fc(x)

count = int(os.environ.get("WORLD_SIZE", "1"))
net = Net().cuda()
if count > 1:
    net = nn.parallel.{wrapper}(net)
x, y = {asked}.parts((torch.ones(2, 3), torch.ones(2)))
x + torch.ones(3).cuda()
"""


@pytest.mark.parametrize("wrapper", ["DataParallel", "DistributedDataParallel"])
@pytest.mark.parametrize("asked", ["(net.module if count > 1 else net)", "net"])
def test_what_a_method_of_the_model_gives_is_seen_where_it_may_be_wrapped(wrapper: str, asked: str) -> None:
    assert clashes(PROGRAM.format(wrapper=wrapper, asked=asked)) == ["22: device"]


def test_what_the_model_may_have_of_its_own_is_not_known() -> None:
    passing = "    def __getattr__(self, name):\n        return found(name)\n\n    def forward"
    text = PROGRAM.format(wrapper="DataParallel", asked="net.module").replace("    def forward", passing)
    assert clashes(text) == []


def test_the_names_are_those_of_torch() -> None:
    every = {name for name in dir(nn.Module()) if not name.startswith("_")}
    assert every <= part_names.OF_MODULES
    wrappers = (nn.DataParallel, nn.parallel.DistributedDataParallel)
    own = {name for each in wrappers for name in dir(each) if not name.startswith("_")} - every
    own |= {name for name in vars(nn.DataParallel(nn.Linear(1, 1))) if not name.startswith("_")} - every
    assert own <= wrapper_attributes.OF_WRAPPERS


EITHER = """import sys

import torch
from torch import nn

class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def {method}(self, h):
        return {value}

    def forward(self, x, h):
        return self.layer(x), h

class Net(nn.Module):
    def __init__(self, kind):
        super().__init__()
        if kind == "lstm":
            self.rnn = nn.LSTM(3, 3)
        else:
            self.rnn = Memory()

    def start(self):
        return self.rnn.{method}(torch.zeros(2, 3)).cuda()

    def forward(self, x, h):
        return self.rnn(x, h)

net = Net(sys.argv[1]).cuda()
print(net(torch.ones(2, 3).cuda(), net.start()))
"""


def test_a_layer_of_torch_has_no_part_that_goes_by_the_name_of_another_ones_method() -> None:
    assert clashes(EITHER.format(method="detached", value="h.detach()")) == []


def test_what_the_method_of_the_other_one_meets_is_seen() -> None:
    assert clashes(EITHER.format(method="started", value="self.layer(h)")) == ["12: device"]


UNSEEN = """import timm
import torch
from torch import nn

class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = timm.create_model("resnet18")

class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.visual = Tower()

@torch.no_grad()
def fill(model):
    module = model.visual.trunk
    {asked}(torch.zeros(3))

model = Whole()
model.to("cuda")
fill(model)
"""


def test_what_is_done_in_place_is_done_to_a_parameter_and_is_no_part_of_a_module() -> None:
    assert clashes(UNSEEN.format(asked="module.cls_token.copy_")) == []
    assert clashes(UNSEEN.format(asked="module.head")) == ["18: device"]


INSIDE = """import torch
from torch import nn

class Core(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def back(self, x):
        return self.fc(x)

net = nn.{wrapped}
net{asked}.back(torch.zeros(3).cuda())
"""


def test_data_parallel_moves_what_it_wraps_where_there_is_one_accelerator() -> None:
    assert clashes(INSIDE.format(wrapped="DataParallel(Core())", asked=".module")) == []
    assert clashes(INSIDE.format(wrapped="Sequential(Core())", asked="[0]")) == ["10: device"]
    assert clashes(INSIDE.format(wrapped="parallel.DistributedDataParallel(Core())", asked=".module")) == [
        "10: device"
    ]
