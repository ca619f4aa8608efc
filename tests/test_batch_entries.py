"""Batches of which nothing is known, and what a loop takes out of them."""

from __future__ import annotations

import pytest
from text_program import fix_texts

HEAD = """
import torch
from rows import load
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Rows(Dataset):
    def __init__(self):
        self.rows = load("rows.csv")

    def __getitem__(self, index):
        return self.rows[index]

    def __len__(self):
        return len(self.rows)


net = nn.Linear(3, 1).to(device)
for batch in DataLoader(Rows(), batch_size=4):
"""


def fixed(body: str) -> list[str]:
    """What the loop's body is once it is fixed."""
    return fix_texts({"main.py": HEAD + body})[0]["main.py"].removeprefix(HEAD).splitlines()


@pytest.mark.parametrize("key", ['"x"', "KEY", "0", "-1"])
def test_what_is_taken_out_by_a_name_or_a_number_moves_by_itself(key: str) -> None:
    """The batch may be a dict or a list, which cannot be moved."""
    before = f'    KEY = "x"\n    x = batch[{key}].float()\n    print(net(x))\n'
    assert fixed(before)[1:] == [f"    x = batch[{key}].float().to(device)", "    print(net(x))"]


def test_each_entry_that_meets_the_model_moves_and_no_other() -> None:
    body = '    users = batch["user"].tolist()\n    x = batch["x"].float()\n    print(users, net(x))\n'
    assert fixed(body) == [
        '    users = batch["user"].tolist()',
        '    x = batch["x"].float().to(device)',
        "    print(users, net(x))",
    ]


def test_what_is_unpacked_still_moves_under_its_names() -> None:
    assert fixed("    x, y = batch\n    print(net(x), y)\n") == [
        "    x, y = batch",
        "    x = x.to(device)",
        "    print(net(x), y)",
    ]


def test_a_batch_that_is_read_as_one_tensor_moves_as_a_whole() -> None:
    assert fixed("    print(net(batch), batch[:, 0])\n") == [
        "    batch = batch.to(device)",
        "    print(net(batch), batch[:, 0])",
    ]
