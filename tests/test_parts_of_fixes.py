"""What one fix does in several places for one sink is done in one of them, where that does for the others."""

from __future__ import annotations

from text_program import clashes, files, fix_texts

BOTH = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(3, 2).to(self.device)
        self.loss_of = nn.CrossEntropyLoss()

    def gradient(self, inputs, labels):
        inputs = inputs.to(self.device)
        loss = self.loss_of(self.model(inputs), labels)
        loss.backward()

def loader():
    return DataLoader(TensorDataset(torch.ones(4, 3), torch.zeros(4, dtype=torch.long)), batch_size=2)

net = Net()
for x, y in loader():
    net.gradient(x, y)
for first, second in zip(loader(), loader()):
    x, y = first
    more_x, more_y = second
    net.gradient(torch.cat((x, more_x)), torch.cat((y, more_y)))
"""


def test_a_move_in_the_function_does_for_all_who_call_it() -> None:
    fixed = fix_texts(files(BOTH))[0]["main.py"]
    expected = files(BOTH)["main.py"].replace(
        "inputs = inputs.to(self.device)\n",
        "inputs = inputs.to(self.device)\n        labels = labels.to(self.device)\n",
    )
    assert fixed == expected


def test_what_each_needs_is_done_for_each() -> None:
    text = """
    import torch

    weight = torch.ones(3, device="cuda")

    def scaled(x):
        return (x * weight).sum()

    first = torch.arange(3.0)
    print(scaled(first))
    second = torch.linspace(0, 1, 3)
    print(scaled(second))
    """
    fixed = fix_texts(files(text))[0]["main.py"]
    assert clashes(fixed) == []
