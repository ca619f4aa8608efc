"""A tensor that is filled item by item is made where all that is read of it has to be."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

LOSS = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 5).to(device)

def loss(scores, labels):
    targets = torch.zeros((len(labels), 2), dtype=torch.long)
    for i, label in enumerate(labels):
        targets[i] = label
    positive = targets != 0
    count = positive.sum(1)
    ranks = torch.arange(2, device=device)
    {more}
    print((ranks < count.unsqueeze(1)).sum())
    return nn.functional.cross_entropy(scores, targets.view(-1))

x = torch.ones(4, 3).to(device)
labels = [torch.ones(2, dtype=torch.long).to(device) for _ in range(2)]
loss(model(x), labels).backward()
"""
MADE = "targets = torch.zeros((len(labels), 2), dtype=torch.long{})"


def fixed(more: str) -> str:
    return fix_texts({"main.py": LOSS.format(more=more)}, Applicability.SAFE)[0]["main.py"]


def test_it_is_made_on_the_device_where_all_its_readers_meet_it() -> None:
    after = fixed("pass")
    assert MADE.format(", device=scores.device") in after or MADE.format(", device=device") in after
    assert after.count(".to(device)") == 3


def test_it_stays_where_something_else_reads_it() -> None:
    assert MADE.format("") in fixed("print(targets.numpy())")
