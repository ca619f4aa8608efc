"""Assignments that were nothing but a move go with the move."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

PROGRAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def to_device(batch, where):
    return batch.to(where)


class Signals(Dataset):
    def __init__(self):
        self.x, self.y = torch.randn(32, 4), torch.randn(32, 1)

    def __len__(self):
        return 32

    def __getitem__(self, index):
        x, y = self.x[index], self.y[index]
        BODY
        return x, y


net = nn.Linear(4, 1).to(device)
for x, y in DataLoader(Signals(), batch_size=8, num_workers=2):
    print((net(x) - y).square().mean().item())
"""


def written(body: str) -> str:
    """The repaired program, from the item's parts to what is handed out."""
    before = PROGRAM.replace("BODY", dedent(body).strip().replace("\n", "\n        "))
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert "    x, y = x.to(device), y.to(device)\n" in after.split("net = ")[1]
    return after.partition("self.y[index]\n")[2].partition("        return x, y")[0]


@pytest.mark.parametrize(
    "body",
    [
        "x, y = x.to(device), y.to(device)",
        "x = x.to(device)\ny = y.to(device)",
        "x, y = x.to(device, non_blocking=True), y.cuda()",
        "(x, y) = (x.cuda(), y.cuda())",
        "x = to_device(x, device)\ny = to_device(y, device)",
    ],
    ids=["both", "one by one", "in other words", "a tuple of its own", "by a function"],
)
def test_nothing_is_left_of_what_only_moved(body: str) -> None:
    assert written(body) == ""


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("x, y = y.to(device), x.to(device)\nx, y = y, x", "x, y = y, x\nx, y = y, x"),
        ("x, y = x.to(device), y.to(device) + 1", "x, y = x, y + 1"),
        ("z = x.to(device)\nx, y = z, y.to(device)", "z = x\nx, y = z, y"),
        ("a = x = x.to(device)\ny = y.to(device)", "a = x = x"),
    ],
    ids=["swapped", "computed", "another name", "two targets"],
)
def test_what_does_more_stays(body: str, left: str) -> None:
    assert dedent(written(body)).strip() == left


def test_a_part_of_a_batch_that_a_loop_only_passes_over_is_not_moved() -> None:
    """Which of the names a file reads is asked in the function around the loop."""
    before = PROGRAM.replace("BODY", "x, y = x.to(device), y.to(device)")
    before += """

def outputs():
    with torch.no_grad():
        for batch, _ in DataLoader(Signals(), batch_size=8, num_workers=2):
            print(net(batch).shape)
"""
    after = fix_texts({"main.py": before + "\n\noutputs()\n"})[0]["main.py"]
    assert "    x, y = x.to(device), y.to(device)\n" in after
    assert "            batch = batch.to(device)\n            print(net(batch).shape)\n" in after


GUARDED = PROGRAM.replace("device =", "use_cuda = torch.cuda.is_available()\ndevice =", 1)


def guarded(body: str) -> str:
    """What is left of a body of the item in a program that knows whether there is an accelerator."""
    before = GUARDED.replace("BODY", dedent(body).strip().replace("\n", "\n        "))
    after = fix_texts({"main.py": before})[0]["main.py"]
    return dedent(after.partition("self.y[index]\n")[2].partition("        return x, y")[0]).strip()


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("if use_cuda:\n    x, y = x.cuda(), y.cuda()", ""),
        ("if use_cuda:\n    x = x.cuda()\n    y = y.cuda()", ""),
        ("if use_cuda:\n    x = x.cuda()\n    print(x)", "if use_cuda:\n    print(x)"),
        ("if use_cuda:\n    x = x.cuda()\nelse:\n    y = -y", "if use_cuda:\n    pass\nelse:\n    y = -y"),
        ("if use_cuda:\n    # as it is\n    x = x.cuda()", "if use_cuda:\n    # as it is\n    pass"),
        (
            "if index:\n    y = -y\nelif use_cuda:\n    x = x.cuda()",
            "if index:\n    y = -y\nelif use_cuda:\n    pass",
        ),
        ("if len(self):\n    x = x.cuda()", "if len(self):\n    pass"),
    ],
    ids=["at once", "one by one", "does more", "else", "comment", "elif", "a call"],
)
def test_what_guarded_nothing_but_moves_goes_with_them(body: str, left: str) -> None:
    assert guarded(body) == left
