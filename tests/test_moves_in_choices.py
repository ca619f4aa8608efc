"""A tensor that is None, or a number, in other runs moves where it is chosen."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """
import numpy as np
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x, noise):
        mean = self.fc(x)
        return mean if noise is None else mean + noise


class Agent:
    def __init__(self):
        self.rng = np.random.RandomState(0)
        self.policy = Policy()

    def noise(self, *shape):
        return torch.from_numpy(self.rng.standard_normal(shape).astype(np.float32))

    def act(self, x, explore=True):
        return self.policy(x, {choice})


agent = Agent()
x = torch.ones(4, 3)
print(agent.act(x), agent.act(x, explore=False))
"""


@pytest.mark.parametrize(
    ("choice", "moved"),
    [
        ("self.noise(2) if explore else None", "self.noise(2).to(self.device) if explore else None"),
        ("None if not explore else self.noise(2)", "None if not explore else self.noise(2).to(self.device)"),
        ("self.noise(2) if explore else 0.0", "self.noise(2).to(self.device) if explore else 0.0"),
    ],
)
def test_the_branch_moves(choice: str, moved: str) -> None:
    text = fix_texts({"main.py": PROGRAM.replace("{choice}", choice)}, Applicability.UNSAFE, adopt=True)[0][
        "main.py"
    ]
    assert f"return self.policy(x, {moved})" in text


def test_of_two_tensors_the_one_that_is_chosen_moves() -> None:
    choice = "self.noise(2) if explore else self.noise(1)"
    text = fix_texts({"main.py": PROGRAM.replace("{choice}", choice)}, Applicability.UNSAFE, adopt=True)[0][
        "main.py"
    ]
    assert f"return self.policy(x, ({choice}).to(self.device))" in text
