"""A program that gets a device chooses it once: the files that need it have it from the one that chooses."""

from __future__ import annotations

import pytest
from test_adoption import CHOICE, adopted
from text_program import files

PROBLEM = """
import torch


class Problem:
    def __init__(self, size{more}):
        self.size = size
        self.rate = torch.zeros(1, requires_grad=True)

    def loss(self, net):
        return (net(torch.ones(self.size, 2)) * self.rate).sum()
"""

MAIN = """
import torch
from problem import Problem

problem = {made}
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD([*net.parameters(), problem.rate], lr=0.1)
loss = problem.loss(net)
loss.backward()
optimizer.step()
print(loss.item())
"""


def choices(after: dict[str, str]) -> int:
    return sum(text.count(CHOICE) for text in after.values())


def test_an_object_is_told_by_the_script_that_makes_it() -> None:
    after = adopted(files(MAIN.format(made="Problem(3)"), problem=PROBLEM.format(more="")))
    assert "problem = Problem(3, device=device)" in after["main.py"]
    assert 'def __init__(self, size, device="cpu"):\n        self.device = device\n' in after["problem.py"]
    assert "torch.zeros(1, requires_grad=True, device=self.device)" in after["problem.py"]
    assert choices(after) == 1


@pytest.mark.parametrize(
    ("made", "more"),
    [
        ("Problem(*[3])\nmake = Problem", ""),
        ("Problem(**{'size': 3})", ""),
        ("Problem(3)", ", device=None"),
    ],
)
def test_an_object_that_cannot_be_told_chooses_by_itself(made: str, more: str) -> None:
    after = adopted(files(MAIN.format(made=made), problem=PROBLEM.format(more=more)))
    assert 'device="cpu"' not in after["problem.py"]
    assert CHOICE in after["problem.py"]


def test_a_class_that_another_file_makes_objects_of_is_not_told() -> None:
    other = "from problem import Problem\n\n\ndef build():\n    return Problem(2)\n"
    made = "Problem(3)\nfrom other import build\nbuild()"
    after = adopted(files(MAIN.format(made=made), problem=PROBLEM.format(more=""), other=other))
    assert f"self.device = {CHOICE}" in after["problem.py"]
    assert after["other.py"] == other


HEAD = """
import torch


def head(features):
    net = torch.nn.Linear(features.size(1), 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(features).sum()
    loss.backward()
    optimizer.step()
    return loss.item()
"""

LEARNER = """
import torch
from head import head


class Learner:
    def __init__(self):
        self.net = torch.nn.Linear(2, 2)

    def embed(self, x):
        return self.net(x)


def main():
    {made}
    features = learner.embed(torch.ones(3, 2)).detach()
    print(head(features))


main()
"""


def test_a_function_is_told_the_device_of_an_object_that_its_caller_has_made() -> None:
    after = adopted(files(LEARNER.format(made="learner = Learner()"), head=HEAD))
    assert "print(head(features, device=learner.device))" in after["main.py"]
    assert 'def head(features, device="cpu"):' in after["head.py"]
    assert choices(after) == 1


def test_an_object_that_may_be_another_one_tells_no_device() -> None:
    made = "learner = Learner()\n    learner = learner or None"
    after = adopted(files(LEARNER.format(made=made), head=HEAD))
    assert "print(head(features))" in after["main.py"]
    assert CHOICE in after["head.py"]


KERNELS = """
import torch
{before}

def log_parameter(value):
    return torch.tensor(value, requires_grad=True)


class Kernel:
    def __init__(self):
        self.scale, self.length = map(log_parameter, (1.0, 2.0))

    def __call__(self, x):
        return self.scale * torch.exp(-x / self.length)
"""

FITTING = """
import torch
from kernels import Kernel

kernel = Kernel()
noise = torch.tensor(0.5, requires_grad=True)
optimizer = torch.optim.SGD([kernel.scale, kernel.length, noise], lr=0.1)
loss = (kernel(torch.ones(3)) + noise).sum()
loss.backward()
optimizer.step()
print(loss.item())
"""


def test_a_script_has_the_device_of_a_file_that_it_imports_from() -> None:
    after = adopted(files(FITTING, kernels=KERNELS.format(before="")))
    assert "from kernels import Kernel, device" in after["main.py"]
    assert f"device = {CHOICE}" in after["kernels.py"]
    assert choices(after) == 1


def test_a_file_that_needs_the_script_itself_gives_it_no_device() -> None:
    before = "\n\ndef run():\n    import main\n"
    script = f'{FITTING}\nif __name__ == "__main__":\n    print(noise.item())\n'
    after = adopted(files(script, kernels=KERNELS.format(before=before)))
    assert "from kernels import Kernel\n" in after["main.py"]
    assert choices(after) == 2
