"""A model that a caller may give moves like the one that is made where none is given."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files

AGENT = """
import torch
from torch import nn, optim


class Agent:
    def __init__(self, model=None, size=3):
        self.model = {choice}
        self.optimizer = optim.SGD(self.model.parameters(), lr=0.1)

    def step(self, state):
        loss = self.model(torch.tensor(state)).sum()
        loss.backward()
        self.optimizer.step()
        return loss.item()


agent = Agent()
print(agent.step([1.0, 2.0, 3.0]))
"""


@pytest.mark.parametrize(
    "choice",
    [
        "model or nn.Linear(3, 1)",
        "model if model else nn.Linear(3, 1)",
        "model if model is not None else nn.Linear(3, 1)",
        "nn.Linear(3, 1) if model is None else model",
    ],
)
def test_whichever_it_is_moves(choice: str) -> None:
    after = adopted(files(AGENT.format(choice=choice)))["main.py"]
    assert f"self.model = ({choice}).to(self.device)\n" in after


@pytest.mark.parametrize("choice", ["nn.Linear(3, 1) if size > 2 else model", "None or nn.Linear(3, 1)"])
def test_what_says_nothing_of_a_given_model_stays(choice: str) -> None:
    after = adopted(files(AGENT.format(choice=choice)))["main.py"]
    moved = choice.replace("nn.Linear(3, 1)", "nn.Linear(3, 1).to(self.device)")
    assert f"self.model = {moved}\n" in after
