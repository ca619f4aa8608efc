"""The device of a part that a method moves a peer to is that of the fix, as the method spells it."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
import torch
from torch import nn

class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 3)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.to(self.device)

class Agent:
    def __init__(self):
        self.actor = Actor()

    def choose(self, scale):
        {first}
        drawn = torch.zeros(3)
        return drawn + {peer}

    def scaled(self, scale):
        return torch.tensor(scale).to(self.actor.device)

print(Agent().choose([1.0, 2.0, 3.0]))
"""
PEER = "torch.tensor(scale).to(self.actor.device)"


def _given(first: str, peer: str) -> str:
    """The line that makes the tensor, once it is fixed."""
    fixed, _ = fix_texts(files(PROGRAM.format(first=first, peer=peer)))
    lines = (line.strip() for line in fixed["main.py"].splitlines())
    return next(line for line in lines if line.startswith("drawn ="))


@pytest.mark.parametrize("peer", [PEER, "torch.tensor(scale).to(self.actor.device, torch.float32)"])
def test_what_is_met_is_made_where_the_method_moves_it(peer: str) -> None:
    assert (
        _given("scale = [2 * each for each in scale]", peer)
        == "drawn = torch.zeros(3, device=self.actor.device)"
    )


@pytest.mark.parametrize(
    ("first", "peer"),
    [
        ("self.actor = Actor()", PEER),
        ("self.actor.device = torch.device('cuda')", PEER),
        ("pass", "self.scaled(scale)"),
        ("pass", "torch.tensor(scale).to(next(self.actor.parameters()).device)"),
    ],
)
def test_a_device_that_is_set_or_named_elsewhere_is_not_taken(first: str, peer: str) -> None:
    assert "self.actor.device" not in _given(first, peer)
    assert "device=" in _given(first, peer) or ".to(" in _given(first, peer)
