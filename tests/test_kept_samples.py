"""What a data set of the project keeps to make samples of stays on the CPU, whatever else it is used for."""

from __future__ import annotations

from test_adoption import adopted
from text_program import clashes, fix_texts

from devfix.findings import Applicability

DATA = """
import torch
from torch.utils.data import DataLoader, Dataset


def shapes(count):
    return torch.randn(count, 4), torch.zeros(count, dtype=torch.long)


class Pairs(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] * (0.8 + 0.4 * torch.rand(1)), self.images[index]


def train(model, images):
    for a, b in DataLoader(Pairs(images), batch_size=4):
        {moved}print((model(a) - model(b)).square().mean().item())


def outputs(model, images, batch=4):
    return torch.cat([model(images[i:i + batch]) for i in range(0, len(images), batch)])
"""

MAIN = """
import torch
from data import outputs, shapes, train
from torch import nn
{choice}
images, labels = shapes(8)
model = nn.Linear(4, 2){moved}
train(model, images[:6])
print(nn.functional.cross_entropy(outputs(model, images), labels{moved}).item())
"""


def test_a_project_is_adopted_around_what_its_data_set_keeps() -> None:
    after = adopted({"main.py": MAIN.format(choice="", moved=""), "data.py": DATA.format(moved="")})
    main, data = after["main.py"], after["data.py"]
    assert "images[i:i + batch].to(" in data
    assert "images.to(" not in main
    assert "self.images[index] * (0.8 + 0.4 * torch.rand(1))" in data
    assert not clashes(main, data=data)


def test_what_a_data_set_keeps_moves_where_else_it_is_used() -> None:
    choice = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    before = {
        "main.py": MAIN.format(choice=choice, moved=".to(device)"),
        "data.py": DATA.format(moved="a, b = a.cuda(), b.cuda()\n        "),
    }
    after, _ = fix_texts(before, Applicability.UNSAFE)
    assert after["main.py"] == before["main.py"]
    assert "model(images[i:i + batch].to(" in after["data.py"]
    assert not clashes(after["main.py"], data=after["data.py"])
