"""A part of a tensor moves by itself where what selects it is known, and the whole where nobody knows where that is."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch

    class Bank:
        def __init__(self, net, device, keep=0.5):
            self.net = net.to(device)
            self.device, self.keep = device, keep
            self.rows = []

        def build(self, rows, order):
            rows = self.net(rows.to(self.device)).detach().cpu()
            rows = rows - rows.mean(0)
            chosen = torch.randperm(len(rows))
            self.rows = rows[{chosen}]

        def nearest(self, x):
            distance = torch.cdist(self.net(x.to(self.device)), self.rows.to(self.device))
            return self.rows[distance.argmin(1)]

    bank = Bank(torch.nn.Linear(3, 3), torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    bank.build(torch.ones(8, 3), {order})
    print(bank.nearest(torch.ones(2, 3)).sum().item())
"""


def repaired(chosen: str, order: str = "[0, 1]") -> str:
    """The line that keeps a part."""
    texts = files(PROGRAM.format(chosen=chosen, order=order))
    after = fix_texts(texts)[0]["main.py"]
    return next(line.strip() for line in after.splitlines() if "self.rows = rows" in line)


@pytest.mark.parametrize("chosen", ["chosen[: int(len(rows) * self.keep)]", "chosen"])
def test_a_part_moves_whose_selection_is_known(chosen: str) -> None:
    assert repaired(chosen) == f"self.rows = rows[{chosen}].to(self.device)"


def test_the_whole_moves_where_nobody_knows_what_selects() -> None:
    assert repaired("order", "open('rows').read()") == "self.rows = rows.to(self.device)[order]"
