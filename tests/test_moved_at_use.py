"""What a program keeps on the CPU and moves at each use stays there."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)

    def fit(self, x, y):
        return nn.functional.cross_entropy(self(x), y)


def main():
    data = torch.randn(40, 4)
    labels = (data.sum(1) > 0).long()
    net = Net().to(device)
    for rows in torch.randperm(40).split(10):
        out = net({batch})
        net.fit({given}, {answers}).backward()
    with torch.no_grad():
        right = net({all}).argmax(1).cpu() == labels
    print(nn.functional.cross_entropy(net(data.to(device)), {labels}), data.mean(0), right)


main()
"""
MOVED = {
    "batch": "data[rows].to(device)",
    "given": "data[rows].to(device)",
    "answers": "labels[rows].to(device)",
    "all": "data.to(device)",
    "labels": "labels.to(device)",
}


@pytest.mark.parametrize("forgotten", list(MOVED))
def test_a_use_that_forgot_to_move_does_as_the_others_do(forgotten: str) -> None:
    text = PROGRAM.format(**{**MOVED, forgotten: MOVED[forgotten].removesuffix(".to(device)")})
    assert fix_texts({"main.py": text})[0]["main.py"] == PROGRAM.format(**MOVED)


SMALL = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(4, 2).to(device)
data = torch.randn(40, 4)
print(net(data[:3]{first}).sum())
print(net({second}).sum())
"""


def test_all_of_it_moves_where_nothing_is_moved_at_its_use() -> None:
    text = SMALL.format(first="", second="data")
    assert "data = torch.randn(40, 4).to(device)\n" in fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize(
    ("first", "second"),
    [(".to(torch.float64).float().to(device)", "data"), (".to(device)", "torch.exp(data)")],
    ids=["another chain", "within another expression"],
)
def test_a_use_that_is_another_one_is_not_made_alike(first: str, second: str) -> None:
    text = SMALL.format(first=first, second=second)
    assert "(data.to(device))" not in fix_texts({"main.py": text})[0]["main.py"]


DRAWN = """
import torch

class Points:
    def __init__(self, n, device):
        self.n, self.device = n, device
        self.points = self.draw(n).to(device)

    def draw(self, n):
        return torch.stack([2 * torch.rand(n) - 1, torch.rand(n)], dim=1)

    def refine(self):
        candidates = torch.cat([self.points, self.draw(self.n){forgotten}])
        fresh = self.draw(self.n){moved}
        self.points = torch.cat([candidates, fresh{late}])

points = Points(8, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
points.refine()
print(points.points.sum())
"""


def test_a_call_whose_result_does_not_move_does_as_others_of_the_function_do() -> None:
    text = DRAWN.format(forgotten="", moved=".to(self.device)", late="")
    after = DRAWN.format(forgotten=".to(self.device)", moved=".to(self.device)", late="")
    assert fix_texts({"main.py": text})[0]["main.py"] == after


def test_where_another_call_gives_what_stays_each_moves_where_it_is_used() -> None:
    text = DRAWN.format(forgotten="", moved="", late=".to(self.device)")
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "fresh = self.draw(self.n)\n" in after
    assert "self.draw(self.n).to(self.device)])" not in after


GUARDED = """
import torch
from torch import nn

use_cuda = torch.cuda.is_available()
net = nn.Embedding(8, 4)
head = nn.Linear(4, 8)
if use_cuda:
    net, head = net.cuda(), head.cuda()


def draw():
    return torch.zeros(1, dtype=torch.long)


def evaluate(steps):
    token = {first}
    found = []
    for _ in range(steps):
        best = int(head(net({used})).argmax())
        found.append(best)
        token = {next}
    return found


print(evaluate(3), net({other}) if use_cuda else 0)
"""


@pytest.mark.parametrize(
    ("first", "used", "next_token", "other"),
    [
        ("torch.tensor([0])\n    token = token.cuda() if use_cuda else token", "token", "torch.tensor([best])", "1"),
        ("draw()\n    other = token.cuda() if use_cuda else token", "token", "token", "1"),
        ("draw()\n    if use_cuda:\n        print(net(token.cuda()))", "token", "token", "1"),
        ("draw().cuda() if use_cuda else draw()", "token", "draw()", "1"),
        ("draw()", "token", "draw()", "draw().cuda()"),
        ("draw().cuda() if use_cuda else draw()", "token", "draw()", "draw().cuda()"),
    ],
)  # fmt: skip
def test_a_move_that_a_guard_allows_is_not_made_without_one(
    first: str, used: str, next_token: str, other: str
) -> None:
    text = GUARDED.format(first=first, used=used, next=next_token, other=other)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after != text
    assert after.count(".cuda()") == text.count(".cuda()")
