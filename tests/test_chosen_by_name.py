"""Models that an option chooses by name: out of a table, a module, or by two branches and then wrapped."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import check_texts, clashes

PROGRAM = """
import argparse
import torch
import torch.nn as nn

class A(nn.Linear):
    pass
class B(A):
    pass
class C(A):
    pass
class D(A):
    pass
class E(A):
    pass

parser = argparse.ArgumentParser()
parser.add_argument("--arch", default="b")
parser.add_argument("--pretrained", action="store_true")
args = parser.parse_args()
"""


def faults(text: str) -> list[str]:
    """The lines (after the head) on which something is wrong, each once."""
    lines = (PROGRAM + dedent(text)).splitlines()
    found = [lines[int(found.split(":")[0]) - 1].strip() for found in clashes("\n".join(lines) + "\n")]
    return list(dict.fromkeys(found))


def test_one_of_many_in_a_table() -> None:
    assert faults("""
        table = {"a": A, "b": B, "c": C, "d": D, "e": E}
        net = table[args.arch](2, 2).cuda()
        net(torch.ones(1, 2))
    """) == ["net(torch.ones(1, 2))"]


def test_a_table_without_the_default_says_nothing() -> None:
    assert (
        faults("""
        table = {"v": A, "w": B, "x": C, "y": D, "z": E}
        net = table[args.arch](2, 2).cuda()
        net(torch.ones(1, 2))
    """)
        == []
    )


def test_one_of_two_that_is_wrapped() -> None:
    assert faults("""
        if args.pretrained:
            net = A(2, 2)
        else:
            net = B(2, 2)
        net = nn.DataParallel(net).cuda()
        criterion = nn.CrossEntropyLoss()
        criterion(net(torch.ones(4, 2)), torch.zeros(4, dtype=torch.long))
    """) == ["criterion(net(torch.ones(4, 2)), torch.zeros(4, dtype=torch.long))"]


SETS = """
import numpy as np

class Moons:
    def __init__(self):
        self.x = np.zeros((8, 3), dtype=np.float32)

class Rings(Moons):
    pass
"""


def test_one_of_the_classes_of_a_module() -> None:
    text = """
    import sets
    data = torch.from_numpy(getattr(sets, args.kind)().x)
    net = nn.Linear(3, 2).cuda()
    net(data)
    """
    head = PROGRAM.replace('"--arch"', '"--kind"')
    found = clashes(head + dedent(text), sets=SETS)
    assert len(found) == 1


def test_a_name_that_the_module_has_is_that() -> None:
    text = """
    import sets
    data = getattr(sets, "np").zeros(3)
    net = nn.Linear(3, 2).cuda()
    net(torch.from_numpy(data).float().cuda())
    """
    assert not clashes(PROGRAM + dedent(text), sets=SETS)


def test_what_one_of_several_layers_leaves_on_the_host() -> None:
    text = """
    class Flip(nn.Module):
        def forward(self, x):
            return x.flip(1), torch.zeros(x.size(0))

    class Scale(nn.Module):
        def forward(self, x):
            return x * 2, torch.zeros(x.size(0), device=x.device)

    class Flow(nn.Sequential):
        def forward(self, x):
            total = torch.zeros(x.size(0), device=x.device)
            for layer in self:
                x, change = layer(x)
                total = total + change
            return x, total

    layers = []
    for _ in range(3):
        layers += [Scale(), Flip()]
    Flow(*layers).cuda()(torch.rand(2, 3).cuda())
    """
    assert "total = total + change" in faults(text)
    assert not faults(text.replace("zeros(x.size(0))\n", "zeros(x.size(0), device=x.device)\n"))


COMPILED = """
import os
import torch
from torch import nn

class Net(nn.Linear):
    @torch.compile(dynamic=True)
    def forward(self, x):
        return super().forward(x)

model = Net(3, 2)
model = {way}
model.to("cuda")
path = "rows.pt"
if os.path.exists(path):
    rows = torch.load(path)
else:
    rows = torch.rand(4, 3)
    torch.save(rows, path)
"""


@pytest.mark.parametrize(
    "way",
    [
        "torch.compile(model)",
        "torch.compile(model, mode='default')._orig_mod",
        "torch.jit.script(model)",
        "torch.jit.trace(model, torch.rand(2, 3))",
    ],
)
def test_a_compiled_model_is_the_model(way: str) -> None:
    head = COMPILED.format(way=way)
    assert clashes(head + "model(torch.rand(2, 3))\n")
    assert not clashes(head + "print(model(torch.rand(2, 3).cuda()).cpu() + torch.rand(2, 2))\n")


def test_what_is_loaded_or_made_is_what_is_made() -> None:
    head = COMPILED.format(way="model")
    assert clashes(head + "model(rows)\n")
    assert not clashes(head + "model(rows.cuda())\n")


CONFIGS = """\
from functools import partial
import torch
import torch.nn.functional as F


def plain(x, y):
    return F.cross_entropy(x, y)


def weighted(x, y, weight=None):
    return F.cross_entropy(x, y, weight=weight)


base = {"loss": plain, "device": "cuda"}
heavy = {**base, "loss": partial(weighted, weight=WEIGHT)}
"""
CHOSEN = """\
import sys
import torch
import configs


class Run:
    def __init__(self, config):
        for key, value in config.items():
            setattr(self, key, value)


run = Run(getattr(configs, sys.argv[1]))
x = torch.rand(2, 3).to(run.device)
y = torch.tensor([0, 1]).to(run.device)
run.loss(x, y)
"""


def test_any_configuration_of_a_module_may_be_chosen_by_name() -> None:
    apart = CONFIGS.replace("WEIGHT", "torch.ones(3)")
    assert clashes(CHOSEN, configs=apart) == ["configs.py:11: device"]
    assert clashes(CHOSEN, configs=CONFIGS.replace("WEIGHT", 'torch.ones(3, device="cuda")')) == []
    assert clashes(CHOSEN, configs=CONFIGS.replace("WEIGHT", "None")) == []


LOSSES = """
import argparse
import torch


class Margin(torch.nn.Module):
    def forward(self, x, y):
        chosen = torch.zeros_like(x{dtype})
        chosen.scatter_(1, y.view(-1, 1), 1)
        return torch.where(chosen, x - 0.5, x).mean()


parser = argparse.ArgumentParser()
parser.add_argument("--loss", default="plain")
if parser.parse_args().loss == "plain":
    criterion = torch.nn.CrossEntropyLoss()
else:
    criterion = Margin()
print(criterion(torch.randn(2, 3), torch.zeros(2, dtype=torch.long)))
"""


def test_a_loss_that_an_option_chooses_masks_with_bools() -> None:
    assert clashes(LOSSES.format(dtype="")) == ["10: mask-dtype"]
    assert clashes(LOSSES.format(dtype=", dtype=torch.bool")) == []


ACTIVATED = """
import argparse
import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--activation", type=str, default="relu", choices=dir(F))
args = parser.parse_args()

class Net(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.activation = getattr({package}, activation)
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.second(self.activation(self.first(x)))

print(Net(args.activation).cuda()(torch.ones(1, 2).cuda()) + torch.ones(1, 2){where})
"""


@pytest.mark.parametrize("package", ["F", "torch"])
def test_an_activation_that_an_option_names(package: str) -> None:
    assert clashes(ACTIVATED.format(package=package, where="")) == ["20: device"]
    assert clashes(ACTIVATED.format(package=package, where=".cuda()")) == []


def test_a_function_that_an_option_names_without_a_default() -> None:
    text = ACTIVATED.format(package="F", where="").replace('default="relu", ', "")
    assert clashes(text.replace("Net(args.activation).cuda()", "Net(args.activation)")) == ["18: device"]


DATA_SET = """
import argparse
import torch
import torchvision
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--data", type=str, default="CIFAR10")
args = parser.parse_args()

transform = torchvision.transforms.ToTensor()
images = getattr(torchvision.datasets, args.data)("data", train=True, transform=transform)
loader = torch.utils.data.DataLoader(images, batch_size=4)
model = nn.Sequential(nn.Flatten(), nn.Linear(3072, 10)).cuda()
for image, label in loader:
    loss = nn.functional.cross_entropy(model(image.cuda()), label{where})
"""


def test_a_data_set_that_an_option_names() -> None:
    assert clashes(DATA_SET.format(where="")) == ["16: device"]
    assert clashes(DATA_SET.format(where=".cuda()")) == []
    nobody_knows = (
        DATA_SET.format(where="").replace(', default="CIFAR10"', "").replace("image.cuda()", "image")
    )
    assert clashes(nobody_knows) == []


def test_a_data_set_and_a_model_out_of_the_dict_of_their_package() -> None:
    text = DATA_SET.replace(
        "getattr(torchvision.datasets, args.data)", "torchvision.datasets.__dict__[args.data]"
    )
    assert clashes(text.format(where="")) == ["16: device"]
    assert clashes(text.format(where=".cuda()")) == []
    unmoved = text.format(where="").replace("image.cuda()", "image")
    assert set(clashes(unmoved)) == {"16: device"}
    assert clashes(unmoved.replace(', default="CIFAR10"', "")) == []
    assert clashes(unmoved.replace('default="CIFAR10"', 'default="Unheard"')) == []
    model = "import torch\nimport torchvision.models as models\nnet = models.__dict__['resnet18'](){move}\nnet(torch.ones(1, 3, 8, 8).cuda())\n"
    assert clashes(model.format(move="")) == ["4: device"]
    assert clashes(model.format(move=".cuda()")) == []


KINDS = """
{listed}
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)

    def forward(self, x):
        return self.layer(x)

class Small:
    base = Net
    size = 2

class Large:
    base = Net
    size = 3
"""

CHOOSING = """
import sys
import torch
import models

kind = getattr(models, sys.argv[1])
model = kind.base(kind.size).cuda()
print(model(torch.ones(1, 2){where}))
"""


def test_one_of_the_classes_that_a_package_lists() -> None:
    package = {"models/__init__.py": "from .kinds import *\n"}
    for listed, found in (('__all__ = ["Small", "Large"]', True), ("", False)):
        texts = {
            **package,
            "models/kinds.py": KINDS.format(listed=listed),
            "main.py": CHOOSING.format(where=""),
        }
        assert bool(check_texts(texts)) is found
        texts["main.py"] = CHOOSING.format(where=".cuda()")
        assert check_texts(texts) == []


WRITTEN = """
import argparse
import torch

def plain(x, n):
    sizes = [int(each) for each in x.size()]
    return x.unsqueeze(-1) + torch.zeros(sizes + [n]){place}

def mixed(x, n):
    return x.unsqueeze(-1) * n

args = argparse.ArgumentParser().parse_args()
if "mnist" in args.data:
    loss = lambda x: plain(x, 4)
else:
    loss = lambda x: mixed(x, 4)
loss(torch.ones(2, 3).cuda())
"""


def test_functions_written_where_they_are_chosen_are_each_called_in_some_run() -> None:
    assert clashes(WRITTEN.format(place="")) == ["7: device"]
    assert clashes(WRITTEN.format(place=".cuda()")) == []


MADE_LOSSES = """
from functools import partial
from torch.nn import functional as F

net, weight = nn.Linear(4, 3).cuda(), torch.ones(3)
x, y = torch.ones(2, 4).cuda(), torch.tensor([0, 2]).cuda()


def smooth(logits, y):
    return F.cross_entropy(logits, y, label_smoothing=0.1)


{chosen}
loss(net(x), y)
"""
#: Ways to choose one of two functions.
CHOICES = (
    "loss = {first} if args.pretrained else {second}",
    "loss = {{'a': {first}, 'b': {second}}}[input()]",
    "def pick(name):\n    if name == 'a':\n        return {first}\n    return {second}\nloss = pick(input())",
)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("other", ["F.cross_entropy", "smooth", "nn.CrossEntropyLoss()"])
@pytest.mark.parametrize(
    "made", ["partial(F.cross_entropy, weight=weight)", "lambda out, y: F.cross_entropy(out, y, weight)"]
)
def test_a_function_made_for_calls_beside_one_of_torch(choice: str, other: str, made: str) -> None:
    def found(first: str, second: str) -> list[str]:
        return faults(MADE_LOSSES.format(chosen=choice.format(first=first, second=second)))

    assert found(made, other)
    assert found(other, made)
    moved = made.replace("weight=weight", "weight=weight.cuda()").replace(
        "(out, y, weight)", "(out, y, weight.cuda())"
    )
    assert found(moved, other) == found(other, moved) == []


@pytest.mark.parametrize(
    "body",
    [
        # What another library takes is something else where it is chosen.
        "give = np.asarray if args.pretrained else partial(torch.as_tensor, device='cuda')\ngive(x)",
        "act = F.relu if args.pretrained else partial(F.gelu, approximate='tanh')\nact(x)",
        # Nobody lays down anything: each may be for what is not here.
        "give = torch.Tensor.numpy if args.pretrained else smooth\ngive(x)",
    ],
)
def test_functions_that_nobody_chooses_for_what_is_there(body: str) -> None:
    assert (
        faults("import numpy as np\n" + MADE_LOSSES.format(chosen=body).rpartition("\nloss(")[0] + "\n") == []
    )
