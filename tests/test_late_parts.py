"""What a call puts into a model that has moved by then moves with all of the model, behind that call."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

HEAD = """
import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.zeros(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.a.t() @ self.b.t()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.block = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))

    def forward(self, x):
        return self.block(self.stem(x))


def replace(module, rank):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, Adapter(child, rank))
        else:
            replace(child, rank)


def adapt(module, rank=2):
    for weight in module.parameters():
        weight.requires_grad_(False)
    replace(module, rank)
    return module


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
TAIL = "    print(model(torch.ones(2, 3, device=device)).sum())\n\n\nmain()\n"
PLAIN = "    model = Net().to(device)\n    adapt(model)\n"

#: What ``main`` does, and what it does once that is mended.
WAYS = {
    "a statement": (PLAIN, f"{PLAIN}    model.to(device)\n"),
    "called at once": (
        PLAIN.replace("adapt(model)", "replace(model, 2)"),
        PLAIN.replace("adapt(model)", "replace(model, 2)\n    model.to(device)"),
    ),
    "bound again": (
        PLAIN.replace("adapt(", "model = adapt("),
        PLAIN.replace("adapt(model)", "model = adapt(model).to(device)"),
    ),
    "a network of torch": (
        PLAIN.replace("Net()", "nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))"),
        PLAIN.replace("Net()", "nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))")
        + "    model.to(device)\n",
    ),
    "a part of the model": (
        PLAIN.replace("adapt(model)", "adapt(model.block)"),
        PLAIN.replace("adapt(model)", "adapt(model.block)\n    model.block.to(device)"),
    ),
}


@pytest.mark.parametrize(("before", "after"), WAYS.values(), ids=WAYS)
def test_it_moves_behind_the_call(before: str, after: str) -> None:
    text = HEAD + before + TAIL
    assert clashes(text)
    mended = fix_texts({"main.py": text})[0]["main.py"]
    assert mended == HEAD + after + TAIL
    assert not clashes(mended)


@pytest.mark.parametrize(
    "early", ["model = Net()\n    adapt(model)\n    model.to(device)\n", WAYS["a statement"][1]]
)
def test_what_has_moved_by_then_stays_as_it_is(early: str) -> None:
    text = HEAD + early.replace("model = Net()\n", "    model = Net()\n") + TAIL
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_a_model_that_moves_in_vain_behind_one_call_does_not_move_there_again() -> None:
    """Which of two calls puts a part into it is not asked: the fix has to end."""
    calls = PLAIN.replace(
        "adapt(model)", "adapt(model.block)\n    adapt(model.stem) if not device else adapt(model)"
    )
    text = HEAD + calls + TAIL
    once = fix_texts({"main.py": text})[0]["main.py"]
    assert once.count("model.block.to(device)") <= 1
    assert fix_texts({"main.py": once})[0]["main.py"] == once
