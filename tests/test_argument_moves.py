"""What a function is handed moves beside its other arguments."""

from __future__ import annotations

import pytest
from text_program import fix_texts

TRAINER = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.rand(8, 3), torch.rand(8, 3), torch.rand(8, 2))


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(3, 2).to(self.device)

    def train(self):
        for x, extra, y in DataLoader(data, batch_size=4, shuffle=True):
            self.step(x, extra, y).backward()

    def test(self):
        for x, extra, y in DataLoader(data, batch_size=4):
            print(self.step(x, extra, y))

    def step(self, x, extra, y):
        x = x.float().to(self.device)
        extra = extra.float().to(self.device)
        y = y.to(self.device)
        return ((self.net(x) + self.net(extra) - y) ** 2).mean()


Trainer().train()
"""


def mended(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize(
    "mistake",
    [
        ("extra = extra.float().to(self.device)", "extra = extra.float()"),
        ("        y = y.to(self.device)\n", ""),
    ],
)
def test_an_argument_moves_as_the_others_do(mistake: tuple[str, str]) -> None:
    assert mended(TRAINER) == TRAINER
    assert mended(TRAINER.replace(*mistake)) == TRAINER


def test_where_no_argument_is_moved_the_batch_is() -> None:
    text = TRAINER.replace(".float().to(self.device)", ".float()").replace(
        "        y = y.to(self.device)\n", ""
    )
    after = mended(text)
    assert after.count("x, extra, y = x.to(self.device), extra.to(self.device), y.to(self.device)") == 2
