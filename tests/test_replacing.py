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
