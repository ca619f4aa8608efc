"""What is given to one of several modules goes to where that module is."""

from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

TRAINING = """
import torch
from torch import nn

def update(actor, critic, states):
    values = {call}
    return values.mean()
"""
SCRIPT = """
import numpy as np
import torch
from torch import nn
from training import update

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.layer = nn.Linear(3, outputs)

    def forward(self, x):
        return self.layer(x)

actor = Net(2).to(device)
critic = Net(1).to(device)
print(update(actor, critic, np.zeros((4, 3))))
"""


def fixed(call: str) -> str:
    texts, _ = fix_texts(files(SCRIPT, training=TRAINING.format(call=call)), Applicability.UNSAFE)
    assert clashes(texts["main.py"], training=texts["training.py"]) == []
    return texts["training.py"]


def test_the_module_that_is_called_says_where() -> None:
    assert "critic(torch.Tensor(states).to(next(critic.parameters()).device))" in fixed(
        "critic(torch.Tensor(states))"
    )
    assert "actor(torch.Tensor(states).to(next(actor.parameters()).device))" in fixed(
        "actor(torch.Tensor(states))"
    )
