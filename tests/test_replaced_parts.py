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
