"""Rows that are fetched to the CPU where they get their name are kept there, and move where they are needed."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

_PROGRAM = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)


class Store:
    def __init__(self):
        self.rows = {{}}

    def put(self, ids, found):
        {put}

    def get(self, ids):
        return torch.stack([self.rows[i] for i in ids])


store = Store()
found = net(torch.ones(2, 3, device=device))
store.put([0, 1], found)
kept = store.get([0, 1])
print(torch.cdist(found, {kept}))
"""
_WAYS = [
    "for i, row in zip(ids, found.detach().cpu()):\n            self.rows[i] = row",
    "for i, row in enumerate(found.cpu()):\n            self.rows[i] = row",
    "for row in found.cpu():\n            self.rows[len(self.rows)] = row",
]


@pytest.mark.parametrize("put", _WAYS)
def test_what_a_store_keeps_on_the_host_moves_where_it_is_used(put: str) -> None:
    text = _PROGRAM.format(put=put, kept="kept")
    assert clashes(text)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert put in fixed
    assert "row.to(" not in fixed
    assert clashes(fixed) == []


@pytest.mark.parametrize("put", _WAYS)
def test_what_is_brought_back_is_left_alone(put: str) -> None:
    assert clashes(_PROGRAM.format(put=put, kept="kept.to(device)")) == []
