"""The device of a part that a method moves a peer to is that of the fix, as the method spells it."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

ACTOR = """
import torch
from torch import nn

class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 3)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.to(self.device)
"""
PROGRAM = """
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
    fixed, _ = fix_texts(files(ACTOR + PROGRAM.format(first=first, peer=peer)))
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


LATE = """
class Agent:
    actor = None

    def prepare(self):
        self.actor = self.actor or Actor()

    def choose(self, scale):
        drawn = torch.zeros(3)
        {between}
        return drawn + scale.to(self.actor.device)

agent = Agent()
{before}
print(agent.choose(torch.ones(3)))
"""


@pytest.mark.parametrize(
    ("before", "between"),
    [
        ("", "self.prepare()"),
        ("", "Agent.prepare(self)"),
        ("agent.prepare()", "if self.actor is None: return drawn"),
    ],
)
def test_a_part_that_is_made_or_asked_for_in_between_names_no_device(before: str, between: str) -> None:
    fixed, _ = fix_texts(files(ACTOR + LATE.format(before=before, between=between)))
    assert "zeros(3, device=self.actor.device)" not in fixed["main.py"]


def test_a_part_that_is_there_all_the_time_names_the_device() -> None:
    fixed, _ = fix_texts(files(ACTOR + LATE.format(before="agent.prepare()", between="scale = scale * 2")))
    assert "drawn = torch.zeros(3, device=self.actor.device)" in fixed["main.py"]
