"""Several containers that one loop fills, each with what is its own."""

from __future__ import annotations

import pytest
from text_program import clashes

STORES = """
import torch
from torch import nn

class Steps:
    def __init__(self):
        self.seen, self.chosen, self.values, self.gains, self.ended, self.draws = [], [], [], [], [], []

    def add(self, *items):
        stores = (self.seen, self.chosen, self.values, self.gains, self.ended, self.draws)
        for store, item in zip(stores, items):
            store.append(item)

net = nn.Linear(3, 1).cuda()
steps = Steps()
for _ in range(8):
    seen = torch.rand(3)
    value = net(seen.cuda())
    steps.add(seen, 1, value, 0.5, False, torch.rand(1))
values, draws = torch.stack(steps.values), torch.stack(steps.draws)
{used}
"""


@pytest.mark.parametrize(
    ("used", "found"),
    [
        ("print(values - draws)", ["21: device"]),
        ("print(values.cpu() - draws)", []),
        ("print(values - torch.tensor(steps.gains))", ["21: device"]),
        ("print(draws - torch.tensor(steps.gains))", []),
        ("print(net(torch.stack(steps.seen).cuda()) - values)", []),
    ],
)
def test_each_store_has_what_was_put_in_it(used: str, found: list[str]) -> None:
    assert clashes(STORES.format(used=used)) == found
