"""Parts of a moved model that are replaced by new ones under names that were computed."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Adapter(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.zeros(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.a.t() @ self.b.t()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return self.q(x) + self.k(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(x)


model = Net().to(device)
"""
CALL = "print(model(torch.ones(2, 3, device=device)).sum())\n"

WAYS = [
    """
for name, child in list(model.named_modules()):
    leaf = name.rsplit(".", 1)[-1]
    if isinstance(child, nn.Linear) and leaf == "q":
        setattr(model.get_submodule(name[: -len(leaf) - 1]), leaf, Adapter(child, 2))
""",
    """
for name, child in list(model.named_modules()):
    if isinstance(child, nn.Linear):
        parent, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(parent), leaf, Adapter(child, 2))
""",
    """
name = "block.q"
part = model.get_submodule(name[:5])
part.q = Adapter(part.q, 2)
""",
    """
parts = dict(model.named_modules())
for name, child in list(model.named_modules()):
    if isinstance(child, nn.Linear):
        parent, leaf = name.rsplit(".", 1)
        setattr(parts[parent], leaf, Adapter(child, 2))
""",
    """

def replace(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, Adapter(child, 2))
        else:
            replace(child)


replace(model)
""",
    """
names = [name for name, part in model.named_modules() if type(part) is nn.Linear]
for name in names:
    owner = model.get_submodule(".".join(name.split(".")[:-1]))
    setattr(owner, name.split(".")[-1], Adapter(model.get_submodule(name), 2))
""",
    """
from functools import reduce

for name in ["block.q", "block.k"]:
    *path, leaf = name.split(".")
    owner = reduce(getattr, path, model)
    setattr(owner, leaf, Adapter(getattr(owner, leaf), 2))
""",
]


@pytest.mark.parametrize("way", WAYS)
def test_new_parts_are_moved(way: str) -> None:
    text = HEAD + way + CALL
    assert clashes(text)
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert not clashes(mended["main.py"])


@pytest.mark.parametrize("way", WAYS)
def test_parts_that_are_replaced_before_the_move_go_along(way: str) -> None:
    text = (HEAD + way + CALL).replace("Net().to(device)", "Net()").replace(CALL, "model.to(device)\n" + CALL)
    assert not clashes(text)


DEEP = (HEAD + WAYS[1] + CALL).replace("self.block = Block()", "self.block = nn.Sequential({})")


@pytest.mark.parametrize("number", [2, 6, 20])
def test_new_parts_of_many_are_moved(number: int) -> None:
    text = DEEP.format(", ".join(["Block()"] * number))
    assert clashes(text)
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert not clashes(mended["main.py"])


@pytest.mark.parametrize("number", [2, 20])
def test_of_many_parts_those_that_nobody_replaces_stay_what_they_are(number: int) -> None:
    text = DEEP.format(", ".join(["Block()"] * number)).replace("nn.Linear):", "nn.Conv2d):")
    assert not clashes(text)


def test_of_more_parts_than_anybody_follows_nothing_is_said() -> None:
    text = DEEP.format(", ".join(["Block()"] * 60))
    assert not clashes(text)


WALK = """

def replace(module):
    for name, child in module.named_children():
        if name == "q":
            setattr(module, name, Adapter(child, 2))
        else:
            replace(child)


replace(model)
"""


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_walk_that_goes_down_to_the_leaves_is_followed(depth: int) -> None:
    """However many levels there are: it ends with the parts that have none."""
    head = HEAD.replace(
        "Block()", "nn.Sequential(" * depth + "Block(), nn.Sequential(nn.ReLU())" + ")" * depth
    )
    assert clashes(head + WALK + CALL)
    late = (
        (head + WALK + CALL).replace("Net().to(device)", "Net()").replace(CALL, "model.to(device)\n" + CALL)
    )
    assert not clashes(late)


@pytest.mark.parametrize("number", [1, 8])
def test_parts_are_listed_one_by_one_however_many_there_are(number: int) -> None:
    way = """
for name in [name for name, part in model.named_modules() if name.endswith(".0.q")]:
    setattr(model.get_submodule(name[:-2]), "q", Adapter(model.get_submodule(name), 2))
"""
    text = (HEAD + way + CALL).replace("self.block = Block()", "self.block = nn.Sequential({})")
    assert clashes(text.format(", ".join(["Block()"] * number)))
    assert not clashes(text.replace(".0.q", ".9.q").format(", ".join(["Block()"] * number)))


def test_a_parameter_that_is_registered_late_is_made_on_the_device() -> None:
    text = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x) * self.gain

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net().to(device)
net.register_parameter("gain", nn.Parameter(torch.ones(2)))
net(torch.ones(1, 2, device=device))
"""
    mended, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert mended["main.py"] == text.replace("torch.ones(2))", "torch.ones(2, device=device))")
    assert not clashes(
        text.replace("net = Net().to(device)", "net = Net()").replace("net(", "net.to(device)(", 1)
    )
