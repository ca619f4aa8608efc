"""A model that is made before the device is chosen moves there, not in a function that is handed both."""

from __future__ import annotations

from text_program import fix_texts

from devfix.findings import Applicability

SCRIPT = """
import torch
from torch import nn, optim

def train(model, device, batches, optimizer):
    model.train()
    for x in batches:
        loss = model(x.to(device)).sum()
        loss.backward()
        optimizer.step()

def main():
    model = nn.Linear(3, 3)

    {choice}

    optimizer = optim.Adam(model.parameters())
    for epoch in range(2):
        train(model, {device}, [torch.zeros(2, 3)], optimizer)

main()
"""
CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def fixed(text: str) -> str:
    return fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]


def test_it_moves_once_the_device_is_chosen() -> None:
    after = fixed(SCRIPT.format(choice=CHOICE, device="device"))
    assert f"    {CHOICE}\n    model.to(device)\n" in after
    assert after.count(".to(device)") == 2


def test_it_moves_where_it_is_handed_a_device_that_nobody_named_before() -> None:
    after = fixed(SCRIPT.format(choice="print(model)", device='torch.device("cuda")'))
    assert "optimizer):\n    model.to(device)\n" in after
