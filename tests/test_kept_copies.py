"""What a Module computes from weights and keeps as a plain attribute moves with it once it is a buffer."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from torch import nn
from torch.nn.utils import parametrize

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Support(nn.Module):
    def __init__(self, weight, share):
        super().__init__()
        least = weight.detach().abs().flatten().topk(max(1, int(share * weight.numel()))).values[-1]
        KEPT

    def forward(self, weight):
        return weight * self.support


layer = nn.Linear(4, 4)
MADE
print(layer(torch.ones(2, 4, device=device)).sum())
"""
REGISTERED = 'parametrize.register_parametrization(layer, "weight", Support(layer.weight, 0.5))'
PLAIN = "self.support = (weight.detach().abs() >= least).float()"
BUFFER = 'self.register_buffer("support", (weight.detach().abs() >= least).float(), persistent=False)'


def program(kept: str, made: str) -> str:
    return PROGRAM.replace("KEPT", kept).replace("MADE", made)


def test_it_becomes_a_buffer() -> None:
    made = f"{REGISTERED}\nlayer.to(device)"
    fixed, _ = fix_texts({"main.py": program(PLAIN, made)})
    assert fixed["main.py"] == program(BUFFER, made)


@pytest.mark.parametrize(
    ("kept", "made"),
    [
        (BUFFER, f"{REGISTERED}\nlayer.to(device)"),
        (PLAIN, f"layer.to(device)\n{REGISTERED}"),
        (PLAIN, f"layer = layer.to(device)\n{REGISTERED}\nlayer.to(device)"),
    ],
    ids=["a buffer", "behind the move", "between two moves"],
)
def test_what_is_where_the_weight_is_says_nothing(kept: str, made: str) -> None:
    assert clashes(program(kept, made)) == []


def test_what_a_plain_object_keeps_is_copied_behind_the_move() -> None:
    text = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Anchor:
    def __init__(self, net):
        self.start = net.weight.detach().clone()

    def distance(self, net):
        return (net.weight - self.start).square().sum()


net = nn.Linear(3, 3)
anchor = Anchor(net)
net.to(device)
print(anchor.distance(net))
"""
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace(
        "anchor = Anchor(net)\nnet.to(device)", "net.to(device)\nanchor = Anchor(net)"
    )
