"""Loops that replace what a list holds, place by place."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes

HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.ones(3), torch.zeros(2)

def collate(rows):
    several = [torch.stack([row[i] for row in rows]) for i in range(2)]
    return [*several, torch.zeros(len(rows), 2), torch.zeros(len(rows), 2), torch.zeros(len(rows), 2)]

net = nn.Linear(3, 2).cuda()
host = torch.zeros(4, 2)
for batch in DataLoader(Rows(), batch_size=4, collate_fn=collate):
"""


def found(loop: str) -> set[str]:
    """What cannot work where batches go through a loop first."""
    use = "    net(batch[0])\n    net(batch[0]) - batch[4]\n    host - batch[3]\n"
    lines = (HEAD + "".join(f"    {line}\n" for line in dedent(loop).strip().splitlines()) + use).splitlines()
    return {lines[int(each.split(":")[0]) - 1].strip() for each in clashes("\n".join(lines) + "\n")}


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(len(batch)):\n    batch[i] = batch[i].cuda()",
        "for i in range(len(batch)):\n    part = batch[i]\n    batch[i] = part.float().cuda()",
        "for i, part in enumerate(batch):\n    batch[i] = part.cuda()",
    ],
)
def test_every_place_of_a_list_is_replaced_by_what_the_loop_stores(loop: str) -> None:
    assert found(loop) == {"host - batch[3]"}


def test_a_list_of_unknown_length_as_well() -> None:
    program = """
        import torch
        parts = [torch.zeros(3) for _ in range(int(input()))]
        for i in range(len({over})):
            {store}
        torch.zeros(3) + parts[0]
        torch.zeros(3).cuda() + parts[0]
    """
    moved = dedent(program).format(over="parts", store="parts[i] = parts[i].cuda()")
    assert [each.split(":")[0] for each in clashes(moved)] == ["6"]
    assert clashes(dedent(program).format(over="parts", store="parts[0] = parts[i].cuda()")) == []


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(2):\n    batch[i] = batch[i].cuda()",
        "for i in range(len(batch)):\n    if input():\n        batch[i] = batch[i].cuda()",
        "for i in range(len(batch)):\n    batch[i].cuda()",
    ],
)
def test_what_a_loop_leaves_is_as_it_was_or_unknown(loop: str) -> None:
    assert "host - batch[3]" not in found(loop)


PUT = """
import os
import numpy as np
import torch

here, there = torch.ones(3), torch.ones(3, device="cuda")
names = os.listdir(".")
kept = {{name: {held} for name in names}}
rows = [{held} * len(name) for name in names]
for number, name in enumerate(names):
    {body}
"""


def _put(body: str, held: str, value: str) -> list[str]:
    body = body.format(value=value).replace("; ", "\n    ")
    return clashes(PUT.format(held=held, body=body))


@pytest.mark.parametrize(
    "body",
    [
        "kept[name] = {value}; there + kept[name]",
        "kept[name, number] = {value}; there + kept[name, number]",
        "rows[number] = {value}; there + rows[number]",
        "rows[number] = {value}; other = rows[number]; there + other",
        "kept[name] = {value}; len(kept); kept[name] *= 2; there + kept[name]",
    ],
)
def test_what_was_just_put_under_a_key_is_there(body: str) -> None:
    assert len(_put(body, "there", "here")) == 1
    assert _put(body, "here", "there") == []


@pytest.mark.parametrize(
    "body",
    [
        "kept[name] = {value}; name = names[0]; there + kept[name]",
        "kept[name] = {value}; kept[names[0]] = {held}; there + kept[name]",
        "kept[name] = {value}; kept.update(zip(names, rows)); there + kept[name]",
        "kept[name] = {value}\n    for name in names:\n        there + kept[name]",
        "kept[name] = {value}\n    if number > 1:\n        kept[names[0]] = {held}\n    there + kept[name]",
        "if number > 1:\n        kept[name] = {value}\n    there + kept[name]",
        "rows[number] = {value}; number += 1; there + rows[number]",
        "rows[number] = {value}; rows.reverse(); there + rows[number]",
        "rows[number] = {value}; there + rows[-number]",
        "def renamed():\n        global name\n        name = names[0]\n    kept[name] = {value}; renamed(); there + kept[name]",
    ],
)
def test_what_was_put_there_before_something_changed_need_not_be_there(body: str) -> None:
    assert _put(body.replace("{held}", "there"), "there", "here") == []
    assert _put(body.replace("{held}", "here"), "here", "there") == []


TURNS = """
import os
import numpy as np
import torch

class Momentum:
    def __init__(self, model):
        self.first = [np.zeros(3, dtype=np.float32) for _ in model.parameters()]
        self.second = [np.zeros(3, dtype=np.float32) for _ in model.parameters()]
        self.rate = 0.5

    def step(self, net):
        made = []
        for k, old in enumerate(self.first):
            {body}
        net(torch.from_numpy(made[0]))

net = torch.nn.Linear(3, 3)
Momentum(net).step(net)
"""
WIDE = "self.second[k] = self.rate * self.second[k] + np.ones(3)"


@pytest.mark.parametrize(
    ("body", "is_wide"),
    [
        (f"{WIDE}; made.append(old + self.second[k])", True),
        (f"{WIDE}; made.append(self.second[k])", True),
        ("made.append(old + self.second[k]); " + WIDE, False),
        (f"made.append(self.second[k - 1]); {WIDE}", False),
        (f"self.look(); made.append(self.second[k]); {WIDE}", False),
    ],
)
def test_each_round_finds_what_its_own_item_was_before_the_loop(body: str, is_wide: bool) -> None:
    text = TURNS.format(body=body.replace("; ", "\n            "))
    assert clashes(text) == (["17: dtype"] if is_wide else [])
