"""What an object holds that a constructor is given moves where that keeps it, and knows the device."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

AVERAGE = """
import copy
import torch

class Average:
    def __init__(self, net):
        self.shadow = copy.deepcopy(net)

    @torch.no_grad()
    def update(self, net):
        for kept, now in zip(self.shadow.parameters(), net.parameters()):
            kept.lerp_(now, 0.1)
"""
TEACHER = """
import torch
from torch import nn

class Teacher:
    def __init__(self, width):
        self.net = nn.Linear(width, 1).eval()

    def target(self, x):
        with torch.no_grad():
            return self.net(x)
"""
TRAIN = """
import torch
import torch.nn.functional as F
from torch import nn

class Trainer:
    def __init__(self, net, helper):
        {first}
        {second}
        self.net = net.to(self.device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def step(self, x):
        x = x.to(self.device)
        loss = {loss}
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        {after}
"""
MAIN = """
import torch
from torch import nn
from parts import {name}
from train import Trainer

def build(width):
    net = nn.Linear(width, 1)
    helper = {name}({given})
    return Trainer(net, helper)

if __name__ == "__main__":
    trainer = build(3)
    for _ in range(4):
        trainer.step(torch.ones(8, 3))
"""
CHOSEN = 'self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
KEPT = "self.helper = helper"


def _averaging(first: str, second: str) -> dict[str, str]:
    train = TRAIN.format(
        first=first, second=second, loss="self.net(x).mean()", after="self.helper.update(self.net)"
    )
    return {"parts.py": AVERAGE, "train.py": train, "main.py": MAIN.format(name="Average", given="net")}


def _distilling(first: str, second: str) -> dict[str, str]:
    loss = "F.mse_loss(self.net(x), self.helper.target(x))"
    train = TRAIN.format(first=first, second=second, loss=loss, after="return loss.item()")
    return {"parts.py": TEACHER, "train.py": train, "main.py": MAIN.format(name="Teacher", given="width")}


@pytest.mark.parametrize(("first", "second"), [(CHOSEN, KEPT), (KEPT, CHOSEN)])
@pytest.mark.parametrize(("program", "part"), [(_averaging, "shadow"), (_distilling, "net")])
def test_it_moves_in_the_constructor_that_knows_the_device(
    first: str, second: str, program: object, part: str
) -> None:
    assert callable(program)
    texts = program(first, second)
    after, _ = fix_texts(texts)
    moved = f"        {second}\n        self.helper.{part}.to(self.device)\n"
    assert after == texts | {"train.py": texts["train.py"].replace(f"        {second}\n", moved)}


@pytest.mark.parametrize("program", [_averaging, _distilling])
def test_what_moved_stays_as_it_is(program: object) -> None:
    assert callable(program)
    part = "shadow" if program is _averaging else "net"
    texts = program(CHOSEN, f"{KEPT}\n        self.helper.{part}.to(self.device)")
    assert check_texts(texts) == []


def test_what_is_used_on_the_cpu_stays_there() -> None:
    texts = _distilling(CHOSEN, KEPT)
    there = texts["train.py"].replace("self.helper.target(x)", "self.helper.target(x.cpu()).to(self.device)")
    assert check_texts(texts | {"train.py": there}) == []


def test_who_makes_the_object_and_knows_the_device_moves_its_part() -> None:
    texts = _distilling("self.device = device", KEPT)
    texts["train.py"] = texts["train.py"].replace("net, helper):", "net, helper, device):")
    texts["main.py"] = (
        texts["main.py"]
        .replace("(width):", '(width, device=torch.device("cuda")):')
        .replace("net, helper)", "net, helper, device)")
    )
    after, _ = fix_texts(texts)
    assert after["train.py"] == texts["train.py"]
    assert "helper.net.to(device)" in after["main.py"]


ZERO = """
class Zero:
    {kept}
    def target(self, x):
        return torch.zeros(len(x), 1, device=x.device)
"""


def _either(kept: str) -> dict[str, str]:
    texts = _distilling(CHOSEN, KEPT)
    texts["parts.py"] += ZERO.format(kept=kept)
    choice = 'helper = Teacher(width) if kind == "teacher" else Zero()'
    texts["main.py"] = (
        texts["main.py"]
        .replace("import Teacher", "import Teacher, Zero")
        .replace("build(width)", "build(width, kind)")
        .replace("helper = Teacher(width)", choice)
        .replace("trainer = build(3)", 'trainer, other = build(3, "teacher"), build(3, "zero")')
        .replace(
            "trainer.step(torch.ones(8, 3))", "trainer.step(torch.ones(8, 3)), other.step(torch.ones(8, 3))"
        )
    )
    return texts


def test_what_other_objects_lack_is_not_asked_of_them() -> None:
    texts = _either("scale = 1")
    after, _ = fix_texts(texts)
    assert after != texts
    assert "helper.net.to(" not in "".join(after.values())


def test_what_all_of_them_have_moves_as_well() -> None:
    texts = _either("def __init__(self):\n        self.net = nn.Identity()\n")
    after, _ = fix_texts(texts)
    assert "self.helper.net.to(self.device)" in after["train.py"]


HOLDER = """
import torch
from torch import nn

class Half:
    def __call__(self, x):
        return x / 2

class Holder:
    def __init__(self, net=None):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = net

    def run(self, x):
        x = x.to(self.device)
        return self.net(x) if self.net else x

for net in (nn.Linear(3, 1), {other}):
    print(Holder(net).run(torch.ones(2, 3)).sum().item())
"""
ONCE_KEPT = "self.net = net.to(self.device)"


@pytest.mark.parametrize("other", ["None", "torch.relu", "Half()"])
def test_what_may_have_no_method_to_move_is_not_moved_where_it_is_kept(other: str) -> None:
    text = HOLDER.format(other=other)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert ONCE_KEPT not in after
    assert "net.to(" not in after


def test_what_always_is_a_module_moves_where_it_is_kept() -> None:
    after = fix_texts({"main.py": HOLDER.format(other="nn.Linear(3, 2)")})[0]["main.py"]
    assert ONCE_KEPT in after
