"""Named tuples of a class of the project: what a loader makes of them, and what a move of each part gives."""

from __future__ import annotations

import pytest
from text_program import clashes

TEXT = """
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Side(NamedTuple):
    dense: torch.Tensor
    hour: int


class Data(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"x": torch.ones(3), "side": Side(torch.ones(3), i)}


for batch in DataLoader(Data(), 2):
    side = batch["side"]
    x = batch["x"].to(device)
"""


def test_a_loader_keeps_named_tuples() -> None:
    assert clashes(TEXT + "    print(x + side.dense)\n") == ["26: device"]


def test_moved_parts_meet_what_is_moved() -> None:
    moved = "    side = Side(*(part.to(device) for part in side))\n"
    assert clashes(TEXT + moved + "    print(x + side.dense + side.hour[:, None])\n") == []


@pytest.mark.parametrize(
    "move",
    [
        "type(part)(*(send(each) for each in part))",
        "part.__class__(*[send(each) for each in part])",
        "type(part)._make(send(each) for each in part)",
        "type(part)(**{k: send(v) for k, v in part._asdict().items()})",
        "part._replace(dense=send(part.dense), hour=send(part.hour))",
        "type(part)(*map(send, part))",
        "Side(send(part.dense), send(part.hour))",
    ],
)
@pytest.mark.parametrize(
    "test", ["isinstance(part, tuple)", "hasattr(part, '_fields')", "isinstance(part, Side)"]
)
def test_a_mover_moves_each_part(move: str, test: str) -> None:
    mover = f"""
def send(part):
    if torch.is_tensor(part):
        return part.to(device)
    if isinstance(part, dict):
        return {{k: send(v) for k, v in part.items()}}
    if {test}:
        return {move}
    return part


for batch in map(send, DataLoader(Data(), 2)):
    print(batch["x"] + batch["side"].dense)
for batch in DataLoader(Data(), 2):
    batch = send(batch)
    print(batch["x"] + batch["side"].dense)
"""
    assert clashes(TEXT + mover) == []


def test_one_of_several_lists_is_left_on_the_host() -> None:
    body = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = nn.Linear(3, 3).to(device)
masks = [torch.ones(3, 3)]
for epoch in range(4):
    if epoch > 2:
        masks = [layer.weight.detach().abs()]
    for mask in masks:
        print(layer.weight.detach() + mask)
"""
    assert clashes(body) == ["12: device"]
