"""Modules that were put on the CPU on purpose: their inputs come to them, and nothing is moved over and over."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import copy

import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)

"""
HOLDER = """
class Average(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net, self.parked = net, copy.deepcopy(net)

    def offload(self):
        self.parked.cpu()

    def forward(self, x):
        return self.parked(x)

net = Net().to("cuda")
average = Average(net)
x = torch.ones(2, 3, device="cuda")
for step in range(2):
    print(net(x), average(x))
    average.offload()
"""
PARKED = """
net = Net().to("cuda")
parked = copy.deepcopy(net)
parked.cpu()
x = torch.ones(2, 3, device="cuda")
print(net(x), parked(x))
"""


def test_a_method_that_serves_modules_on_two_devices_follows_each_of_them() -> None:
    fixed = fix_texts({"main.py": HEAD + HOLDER})[0]["main.py"]
    assert fixed == (HEAD + HOLDER).replace(
        "self.layer(x)", "self.layer(x.to(next(self.layer.parameters()).device))"
    )


def test_a_copy_is_not_moved_over_and_over() -> None:
    fixed = fix_texts({"main.py": HEAD + PARKED})[0]["main.py"]
    assert fixed.count(".to(") <= (HEAD + PARKED).count(".to(") + 1


CONFIGURED = """
from dataclasses import dataclass

import torch
from torch import nn

@dataclass
class Config:
    device: str = "cuda"
    encoder_device: str = "cpu"

config = {{"device": "cuda", "teacher_device": "cpu"}}

class Retriever(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder, self.head = nn.Embedding(9, 3), nn.Linear(3, 2)
        {placed}
        self.head.to(cfg.device)

    def forward(self, ids):
        {encoded}
        return self.head(found)

model = Retriever(Config())
ids = torch.tensor([1, 2], device="cuda")
print(model(ids))
"""
AT_ENCODER = "found = self.encoder(ids.to(next(self.encoder.parameters()).device)).to(ids.device)"


@pytest.mark.parametrize(
    "placed",
    ["self.encoder.to(cfg.encoder_device)", "self.encoder = nn.Embedding(9, 3).to(cfg.encoder_device)"],
)
def test_what_meets_a_module_that_a_configuration_put_somewhere_comes_to_it(placed: str) -> None:
    before = CONFIGURED.format(placed=placed, encoded="found = self.encoder(ids)")
    after = CONFIGURED.format(placed=placed, encoded=AT_ENCODER)
    assert fix_texts({"main.py": before})[0]["main.py"] == after
    assert clashes(after) == []


def test_a_device_that_the_module_was_put_on_by_name_is_named_again() -> None:
    body = """
student, teacher = nn.Linear(3, 3).to(config["device"]), nn.Linear(3, 3)
teacher.to(config["teacher_device"])
x = torch.randn(2, 3, device="cuda")
target = teacher(x)
print(nn.functional.mse_loss(student(x), target))
"""
    before = (
        CONFIGURED.format(placed="pass", encoded="found = self.encoder(ids)").split("class Retr")[0] + body
    )
    fixed = fix_texts({"main.py": before})[0]["main.py"]
    assert 'target = teacher(x.to(config["teacher_device"])).to(' in fixed
    assert "student(x), target)" in fixed  # the loss is computed on the accelerator
    assert clashes(fixed) == []


def test_a_module_never_moves_where_it_is_called() -> None:
    before = CONFIGURED.format(
        placed="self.encoder.to(cfg.encoder_device)", encoded="found = self.pick()(ids)"
    )
    before = before.replace("model =", "    def pick(self):\n        return self.encoder\n\nmodel =")
    assert fix_texts({"main.py": before})[0]["main.py"] == before


PARTS = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Perceptual:
    def __init__(self{parameter}):
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3)).to({place})
    def __call__(self, x):
        for layer in self.net:
            x = layer(x)
        return x.mean()

print(Perceptual()(torch.ones(2, 1, 8, 8).to(device)))
"""


def test_where_a_call_forgot_to_say_the_device_it_says_so() -> None:
    text = PARTS.format(parameter=', device="cpu"', place="device")
    after = fix_texts({"train.py": text})[0]["train.py"]
    assert after == text.replace("Perceptual()", "Perceptual(device=device)")


def test_a_layer_that_may_have_no_parameters_is_not_asked_for_one() -> None:
    text = PARTS.format(parameter="", place='torch.device("cpu")')
    after = fix_texts({"train.py": text})[0]["train.py"]
    assert "next(layer" not in after


def test_what_is_made_where_it_is_used_draws_nothing_to_the_cpu() -> None:
    text = """
import torch

def step(data):
    x = [data["x"].cuda()]
    x = x[0]
    rest = torch.zeros(1, 2)
    return torch.cat((x.view(-1, 2), rest)).sum()

print(step({"x": torch.ones(3, 4)}))
"""
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "rest = torch.zeros(1, 2, device=device)" in after
    assert "torch.cat((x.view(-1, 2), rest))" in after


GRID = """import torch
from torch import nn

class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.ones(3))

    def _apply(self, fn):
        weight = self._buffers.pop("weight")
        super()._apply(fn)
        self.register_buffer("weight", fn(weight))
        return self

    def marginal(self, mean, ends, gate):
        grid = torch.linspace(*ends)
        shift = gate(mean)
        return torch.log(self.weight.unsqueeze(1) * shift) - (grid.reshape(-1, 1) - shift) ** 2 / shift
"""


def test_the_values_of_a_module_do_not_come_to_what_its_method_makes() -> None:
    assert clashes(GRID) == ["18: device"]
    assert ".to(grid.device)" not in fix_texts({"main.py": GRID}, Applicability.SAFE)[0]["main.py"]


CELLS = """import torch
from torch import nn

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 3))

    def first(self, xs, cells):
        if cells is None:
            cells = [torch.zeros(len(x), 3) for x in xs]
        return cells

    def second(self, xs, cells):
        return [torch.matmul(x, self.weight) * cell for x, cell in zip(xs, cells)]

    def forward(self, xs, cells=None):
        return self.second(xs, self.first(xs, cells))
"""


def test_what_a_module_computes_does_not_come_to_what_another_of_its_methods_makes() -> None:
    after = fix_texts({"main.py": CELLS}, Applicability.SAFE)[0]["main.py"]
    assert ".to(cell.device)" not in after


def test_what_is_kept_on_the_cpu_by_a_call_comes_to_the_parameters_that_it_weighs() -> None:
    """That a statement hands a copy on is no statement that puts a module on the CPU."""
    before = (
        HEAD
        + """
kept = []

def remember(net):
    kept.append({name: p.detach().square().cpu() for name, p in net.named_parameters()})

def penalty(net):
    total = 0.0
    for name, p in net.named_parameters():
        weight = kept[0][name]
        total = total + (weight * p ** 2).sum()
    return total

net = Net().to("cuda")
remember(net)
penalty(net).backward()
"""
    )
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert clashes(after) == []
    assert ".to(p.device)" in after.partition("def penalty")[2]
    assert ".to(weight.device)" not in after


FETCHED = """
import torch

def split(pose):
    chosen = pose.sum(1) > 0
    return [chosen, {part}]

def main(pose, device):
    pose = pose.to(device)
    chosen, part = split(pose)
    whole = pose.cpu()
    {use}
    print(whole.numpy())

main(torch.rand(4, 6), torch.device("cuda"))
"""


@pytest.mark.parametrize("use", ["whole[chosen] = part[chosen]", "whole = whole + part[chosen].sum()"])
def test_an_index_comes_to_what_was_fetched_elsewhere(use: str) -> None:
    text = FETCHED.format(part="pose.cpu()", use=use)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("part[chosen]", "part[chosen.to(part.device)]")


def test_what_was_made_on_the_cpu_moves_to_its_index() -> None:
    text = FETCHED.format(part="torch.rand(4, 6)", use="print(part[chosen].sum())")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "chosen.to" not in after
    assert after != text
