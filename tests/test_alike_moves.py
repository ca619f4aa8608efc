"""What is made in the way of its neighbour moves in the way of its neighbour."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

TEXT = """\
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
xs = torch.randn(32, 4)
ys = torch.randint(0, 2, (32,))
net = nn.Linear(4, 2).to(device)
for i in range(0, 32, 8):
    x = {x}
    y = {y}
    loss = nn.functional.cross_entropy(net(x), y)
"""


def fixed(x: str, y: str) -> str:
    """The program with these batches, repaired."""
    return fix_texts({"main.py": TEXT.format(x=x, y=y)})[0]["main.py"]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("xs[i:i + 8]", "ys[i:i + 8]"),
        ("xs[i:i + 8].float()", "ys[i:i + 8].view(-1)"),
        ("torch.stack([xs[i], xs[i + 1]])", "torch.stack([ys[i], ys[i + 1]])"),
        ("torch.from_numpy(np.ones((2, 4), np.float32))", "torch.from_numpy(np.ones(2)).long()"),
    ],
)
@pytest.mark.parametrize("move", [".to(device)", ".cuda()", ".to(device, non_blocking=True)"])
def test_either_moves_as_the_other_does(x: str, y: str, move: str) -> None:
    whole = TEXT.format(x=x + move, y=y + move)
    assert fixed(x, y + move) == whole
    assert fixed(x + move, y) == whole


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("xs[i:i + 8]", "ys.to(device)[i:i + 8]"),
        ("xs[i:i + 8]", "torch.zeros(8).long().to(device)"),
    ],
)
def test_what_is_made_otherwise_is_no_neighbour(x: str, y: str) -> None:
    after = fixed(x, y)
    assert after != TEXT.format(x=x, y=y)
    assert f"x = {x}\n" in after


def test_what_is_where_it_should_be_stays_as_it_is() -> None:
    text = (
        TEXT.format(x="xs[i:i + 8].to(device)", y="ys[i:i + 8].to(device)")
        + "    z = ys[i:i + 8]\n    print(z)\n"
    )
    assert fix_texts({"main.py": text})[0]["main.py"] == text


def test_what_comes_from_arrays_moves_where_the_others_do() -> None:
    text = """\
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def sample(rows):
    states = torch.from_numpy(np.vstack(rows)).float().to(device)
    ends = torch.from_numpy(np.vstack([1, 0])).float()
    return states, ends

net = nn.Linear(3, 1).to(device)
states, ends = sample([np.ones(3), np.zeros(3)])
print(net(states) * (1 - ends))
"""
    after = text.replace("np.vstack([1, 0])).float()", "np.vstack([1, 0])).float().to(device)")
    assert fix_texts({"main.py": text})[0]["main.py"] == after


ITEMS = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Sequential(nn.Linear(4, 2)).cuda()
pin = torch.cuda.is_available()

def step(batch, other):
    x = {x}
    y = {y}
    return nn.functional.mse_loss(net(x), y)

for batch in DataLoader(TensorDataset(torch.ones(4, 4), torch.zeros(4, 2)), batch_size=2, pin_memory=pin):
    print(step({given}, batch))
"""
_NAMED = "dict(x=batch[0], y=batch[1])"


@pytest.mark.parametrize(
    ("x", "y", "given"),
    [("batch[0]", "batch[1]", "batch"), ("batch['x']", "batch['y']", _NAMED)],
)
@pytest.mark.parametrize("move", [".cuda(non_blocking=pin)", ".to('cuda', non_blocking=True)"])
def test_items_of_one_batch_move_in_the_same_way(x: str, y: str, given: str, move: str) -> None:
    whole = ITEMS.format(x=x + move, y=y + move, given=given)
    for before in (ITEMS.format(x=x, y=y + move, given=given), ITEMS.format(x=x + move, y=y, given=given)):
        assert fix_texts({"main.py": before})[0]["main.py"] == whole


def test_an_item_of_another_thing_says_nothing() -> None:
    before = ITEMS.format(x="batch[0]", y="other[1].cuda(non_blocking=pin)", given="batch")
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert after != before
    assert "batch[0].cuda(non_blocking=pin)" not in after


METER = """\
import torch
from torch import nn


class Meter:
    def __init__(self):
        self.right = {right}
        self.seen = {seen}

    def update(self, truth, scores):
        self.right += (truth == scores.argmax(1)).sum()
        self.seen += scores.shape[0]

    def rate(self):
        return {rate}


net = nn.Linear(4, 3).cuda()
meter = Meter()
for _ in range(3):
    x, y = torch.randn(8, 4).cuda(), torch.randint(3, (8,)).cuda()
    meter.update(y, net(x))
print(meter.rate())
"""
RATE = "self.right / self.seen"


@pytest.mark.parametrize("right", ["torch.tensor(0).double()", "torch.zeros(1)", "torch.zeros(())"])
def test_what_an_object_keeps_is_made_as_what_it_keeps_beside_it(right: str) -> None:
    seen = "torch.tensor(0).double().cuda()"
    text = METER.format(right=right, seen=seen, rate=RATE)
    whole = METER.format(right=f"{right}.cuda()", seen=seen, rate=RATE)
    assert fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"] == whole


@pytest.mark.parametrize(
    ("seen", "rate"),
    [
        ("torch.tensor(0)", RATE),
        ("torch.zeros(1).cuda()\n        self.log = torch.zeros(9)", RATE),
        ("torch.zeros(1).cuda()", "float(self.right.numpy()) / self.seen"),
    ],
    ids=["nothing beside it moves", "something beside it stays", "it is read on the host"],
)
def test_what_an_object_may_keep_on_the_cpu_stays_there(seen: str, rate: str) -> None:
    text = METER.format(right="torch.tensor(0)", seen=seen, rate=rate)
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert "self.right = torch.tensor(0)\n" in after
    assert ".sum().to(self.right.device)" in after


def test_meters_that_count_where_they_are_stay_as_they_are() -> None:
    for right, seen in ((".cuda()", ".cuda()"), (".cuda()", "")):
        text = METER.format(right=f"torch.zeros(1){right}", seen=f"torch.tensor(0){seen}", rate=RATE)
        assert fix_texts({"main.py": text})[0]["main.py"] == text
