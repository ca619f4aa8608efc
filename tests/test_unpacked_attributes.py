"""What an object gets in one statement moves alike, and nothing moves where a stream of batches may have come to its end."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Prefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.preload()

    def preload(self):
        try:
            self.x, self.y = next(self.loader)
        except StopIteration:
            self.x = None
            self.y = None
            return
        MOVES

    def next(self):
        x, y = self.x, self.y
        self.preload()
        return x, y


net = nn.Linear(4, 3).to(device)
prefetcher = Prefetcher(DataLoader(TensorDataset(torch.randn(8, 4), torch.randint(0, 3, (8,))), batch_size=4))
LOOP
print(loss.item())
"""
WHILE = """\
x, y = prefetcher.next()
while x is not None:
    loss = nn.functional.cross_entropy(net(x), y)
    x, y = prefetcher.next()"""
BREAK = """\
while True:
    x, y = prefetcher.next()
    if x is None:
        break
    loss = nn.functional.cross_entropy(net(x), y)"""


def fixed(text: str) -> str:
    """The program in the end, in which nothing is left to fix."""
    texts, (report,) = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert not report.findings
    return texts["main.py"]


@pytest.mark.parametrize("loop", [WHILE, BREAK])
@pytest.mark.parametrize("move", [".to(device)", ".cuda(non_blocking=True)"])
@pytest.mark.parametrize("block", ["", "with torch.no_grad():\n            "])
def test_an_attribute_moves_beside_the_one_that_came_with_it(loop: str, move: str, block: str) -> None:
    begin = "\n" + " " * (12 if block else 8)
    text = PROGRAM.replace("LOOP", loop)
    before = text.replace("MOVES", f"{block}self.x = self.x{move}")
    after = before.replace(f"self.x = self.x{move}", f"self.x = self.x{move}{begin}self.y = self.y{move}")
    assert fixed(before) == after
    assert fixed(after) == after


def test_nothing_moves_before_it_is_asked_whether_there_is_any() -> None:
    text = PROGRAM.replace("MOVES", "self.count = 1")
    after = fixed(text.replace("LOOP", BREAK))
    assert "        break\n    x, y = x.to(device), y.to(device)\n" in after
    assert "        x, y = self.x, self.y\n        self.preload()\n" in after
    after = fixed(text.replace("LOOP", WHILE))
    assert "x, y = prefetcher.next()\nwhile x is not None:\n    loss =" in after
    assert "    x, y = prefetcher.next()\nprint" in after
    assert "y.to(device))" in after


def test_what_is_asked_otherwise_moves_where_it_is_unpacked() -> None:
    text = PROGRAM.replace("MOVES", "self.count = 1").replace(
        "LOOP", BREAK.replace("x is None", "len(x) == 0")
    )
    text = text.replace("self.x = None\n            self.y = None\n            return", "raise")
    assert "    x, y = prefetcher.next()\n    x, y = x.to(device), y.to(device)\n" in fixed(text)
