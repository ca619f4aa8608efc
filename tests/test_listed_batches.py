"""Batches that a loader may hand out in a list: what is taken out of there moves behind the test."""

from __future__ import annotations

import pytest
from reality import run
from text_program import fix_texts

HEAD = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        return x * self.scale


net = Scaled().to(device)


def total(loader):
    result = torch.zeros(3, device=device)
    for step, x in enumerate(loader):
"""
TAIL = """\
    return result


seen = total(DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2))
"""
TAKEN = """\
        if isinstance(x, list):
            x = x[0]
"""
USED = "        result = result + net(x).sum(0)\n"


def fixed(body: str) -> str:
    """The program once it is fixed, which still runs."""
    after = fix_texts({"main.py": HEAD + body + TAIL})[0]["main.py"]
    assert run(after)["seen"].tolist() == [4.0, 4.0, 4.0]
    return after


@pytest.mark.parametrize(
    "taken",
    [
        TAKEN,
        TAKEN.replace("list", "(list, tuple)"),
        TAKEN.replace("            x =", "            print(len(x))\n            x ="),
    ],
)
def test_what_may_be_in_a_list_moves_once_behind_the_test(taken: str) -> None:
    moved = "        x = x.to(device)\n"
    assert fixed(taken + USED) == HEAD + taken + moved + USED + TAIL


def test_what_is_handed_out_as_it_is_runs_too() -> None:
    """The move is for what was in no list as well."""
    other = "seen = total(DataLoader(torch.ones(4, 3), batch_size=2))\n"
    assert run(fixed(TAKEN + USED) + other)["seen"].tolist() == [4.0, 4.0, 4.0]


OTHERWISE = [
    # What is no tensor may be told apart once more.
    TAKEN + "        if isinstance(x, dict):\n            x = x['x']\n" + USED,
    # Keys are those of a dict.
    TAKEN + USED + "        if step > 9:\n            print(x['x'])\n",
    TAKEN + USED + "        if step > 9:\n            print(dict(**x))\n",
    # What is no list is something else than what was in it.
    TAKEN + "        else:\n            x = x['x']\n" + USED,
    # A tensor is asked for, and what is none stays.
    TAKEN.replace("isinstance(x, list)", "not torch.is_tensor(x)") + USED,
    TAKEN.replace("isinstance(x, list)", "isinstance(x, (list, torch.Size))") + USED,
]


@pytest.mark.parametrize("body", OTHERWISE)
def test_what_may_be_no_tensor_does_not_move_behind_the_test(body: str) -> None:
    assert "        x = x.to(device)\n" not in fixed(body)


def test_what_no_loader_hands_out_moves_where_it_is_taken() -> None:
    """Nobody knows what else a list of somebody's own has in it."""
    tail = TAIL.replace("DataLoader(TensorDataset(torch.ones(4, 3)), batch_size=2)", "[[torch.ones(4, 3)]]")
    after = fix_texts({"main.py": HEAD + TAKEN + USED + tail})[0]["main.py"]
    assert "        x = x.to(device)\n" not in after
    assert run(after)["seen"].tolist() == [4.0, 4.0, 4.0]
