"""Dicts whose keys tell the device: what is found under such a key is on that device."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.lattice import ACCELERATOR, CPU
from devfix.analysis.domain.values import Tensor

CACHE = """
import torch

kept = dict()


def grid(like):
    {look}
    if found is None:
        found = {made}
        kept[(len(like), like.device)] = found
    return found


n = int(input())
grid(torch.ones(n))
grid(torch.ones(n).cuda())
host, there = grid(torch.ones(n)), grid(torch.ones(n).cuda())
"""
GET = "found = kept.get((len(like), like.device))"
LOOKS = [GET, "key = (len(like), like.device)\n    found = kept[key] if key in kept else None"]
MADE = "torch.arange(n).to(like.device)"


def _devices(text: str) -> list[object]:
    end = Ending(text)
    return [value.device if isinstance(value := end[name], Tensor) else None for name in ("host", "there")]


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_found_is_on_the_device_of_the_key(look: str) -> None:
    assert _devices(CACHE.format(look=look, made=MADE)) == [CPU, ACCELERATOR]


def test_a_key_tells_nothing_of_what_is_kept_elsewhere() -> None:
    # What is parked on the host is moved by whoever takes it.
    text = CACHE.format(look=GET, made="torch.arange(n)") + "there.to('cuda') + torch.ones(n).cuda()\n"
    assert ACCELERATOR not in _devices(text)
    assert clashes(text) == []


@pytest.mark.parametrize(
    "more", ["kept[(n, torch.device('cuda'))] = torch.ones(n)", "kept.update({(n, n): torch.ones(n)})"]
)
def test_one_entry_that_is_elsewhere_is_enough(more: str) -> None:
    text = CACHE.format(look=GET, made=MADE).replace(
        "n = int(input())\n", f"n = int(input())\ngrid(torch.ones(n).cuda())\n{more}\n"
    )
    assert ACCELERATOR not in _devices(text)


NET = """import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
kept = dict()


def steps(n, like):
    key = (n, like.device, like.dtype)
    found = kept.get(key)
    if found is None:
        found = torch.arange(n).to(device=like.device, dtype=like.dtype)
        kept[key] = found
    return found


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        return y * (y + steps(y.shape[1], y))


net = Net().to(device)
target = torch.zeros(8, 4)
for _ in range(4):
    loss = (net(torch.randn(8, 4, device=device)) - target).pow(2).mean()
    loss.backward()
net.cpu()
print((net(torch.randn(8, 4)) - target).pow(2).mean())
"""


def test_a_target_that_the_model_meets_on_the_host_afterwards_is_moved_where_it_is_used() -> None:
    after = fix_texts({"main.py": NET})[0]["main.py"]
    assert after == NET.replace("device=device)) - target)", "device=device)) - target.to(device))")


TABLES = """
import torch


class Tables:
    def __init__(self):
        rows = torch.arange(256)
        host = torch.device("cpu")
        self.kept = {first}

    def on(self, device):
        if device not in self.kept:
            self.kept[device] = tuple(each.to(device) for each in self.kept[torch.device("cpu")])
        return self.kept[device]


tables = Tables()
x = torch.arange(3, device="cuda")
there, _ = tables.on(x.device)
host, _ = tables.on(torch.device("cpu"))
print(there[x] + 1)
"""


def test_a_tuple_under_such_a_key_is_on_that_device() -> None:
    text = TABLES.format(first="{host: (rows, rows + 1)}")
    assert clashes(text) == []
    assert _devices(text) == [CPU, ACCELERATOR]


def test_a_dict_that_is_written_out_with_others_tells_nothing() -> None:
    text = TABLES.format(first='{host: (rows, rows + 1), torch.device("cuda"): (rows, rows)}')
    assert ACCELERATOR not in _devices(text)
