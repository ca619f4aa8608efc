"""Names that stand for None in some runs: no move is called on them where nobody asks."""

from __future__ import annotations

import ast

import pytest
from text_program import analyse_text, clashes, files, fix_texts

from devfix.analysis.text.syntax import called
from devfix.placement.text.missing_values import may_be_none

KEPT = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def begin(self, memory, mask):
        {begin}
        self.memory = memory
        self.mask = mask

    def forward(self, x):
        x = self.fc(x)
        if self.mask is not None:
            x = x.masked_fill(self.mask, 0.0)
        return x + self.memory

net = Attention().cuda()
x = torch.ones(2, 3).cuda()
net.begin(x, mask=make(2))
net(x).sum().backward()
net.begin(x, mask={other})
net(x).sum().backward()
"""
MAKE = "def make(size):\n    import torch\n    return torch.arange(size).unsqueeze(1) < 1\n"


def kept(other: str, begin: str = "pass") -> str:
    """The program, fixed."""
    texts = {"main.py": "from make import make\n" + KEPT.format(other=other, begin=begin), "make.py": MAKE}
    after, _ = fix_texts(texts)
    assert clashes(after["main.py"], make=after["make.py"]) == []
    return after["main.py"]


def test_what_is_none_in_some_calls_is_not_moved_where_it_is_kept() -> None:
    assert "self.mask = mask\n" in kept("None")


def test_what_never_is_none_is() -> None:
    assert "self.mask = mask.to(" in kept("make(2)")


@pytest.mark.parametrize(
    "begin",
    [
        "mask = mask if mask is not None else make(2)",
        "if mask is None:\n            mask = make(2)",
        "if mask is None:\n            return",
        "assert mask is not None",
    ],
)
def test_what_is_no_longer_none_is_moved_as_before(begin: str) -> None:
    assert "self.mask = mask.to(" in kept("None", begin) or "make(2)).to(" in kept("None", begin)


def test_a_state_that_is_none_before_the_loop_is_not_moved_in_it() -> None:
    text = """
    import torch
    from torch import nn

    def begun(h):
        return torch.zeros(1, 2, 3) if h is None else h

    net = nn.GRU(3, 3).cuda()
    h = None
    for x in torch.ones(3, 5, 2, 3).cuda():
        h = begun(h)
        out, h = net(x, h)
    """
    after = fix_texts(files(text))[0]["main.py"]
    assert "h = begun(h)" in after
    assert clashes(after) == []


CHOSEN = """
import torch
from torch import nn

class Filter(nn.Module):
    def forward(self, x, mask=None):
        kept = ~mask if mask is not None else None
        return torch.where(kept, x, x)

device = torch.device("cuda")
first, second = torch.zeros(2, 3).bool()
x = torch.rand(3, device=device)
for each in (first, second):
    print(Filter()(x, each))
"""


def test_what_is_chosen_beside_none_moves_where_it_is_chosen() -> None:
    after = fix_texts({"main.py": CHOSEN})[0]["main.py"]
    assert "kept = (~mask).to(x.device) if mask is not None else None" in after
    assert "torch.where(kept, x, x)" in after


@pytest.mark.parametrize(("other", "missing"), [("None", True), ("torch.ones(3).bool()", False)])
def test_what_a_choice_may_leave_none_is_so_whatever_the_runs_have_seen(other: str, missing: bool) -> None:
    text = CHOSEN.replace("else None", f"else {other}")
    facts = analyse_text(text)
    outline = facts.outline("main.py")
    use = next(
        part
        for part in ast.walk(outline.source.tree)
        if isinstance(part, ast.Call) and called(part) == "where"
    )
    assert may_be_none(facts, outline, use.args[0]) is missing


HALVES = """
import torch
from torch import nn

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)

    def forward(self, ids, mask):
        begin = torch.ones(ids.shape[0], 2).to(self.table.weight.device)
        return self.table(ids).sum(1) + torch.cat((begin, mask), dim=1).sum()

class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Encoder(), Encoder()

    def part(self, model, ids, mask):
        return model(ids, mask) if ids is not None else None

    def forward(self, ids, mask, others, others_mask):
        return self.part(self.first, ids, mask), self.part(self.second, others, others_mask)

def masked(ids):
    return ids != 0

def collected(samples):
    return torch.cat([torch.tensor(each).view(1, -1) for each in samples])

def validate(net, batch, device):
    for number, start in enumerate(range(0, 2)):
        {chosen}
        others = batch["others"][start : start + 1]
        mask = masked(ids)
        print(net(ids, mask, others, masked(others)))

def main(samples):
    device = torch.device("cuda")
    validate(Pair().to(device), {{"ids": collected(samples), "others": collected(samples)}}, device)

main([[1, 2], [3, 4]])
"""


CHOICE = 'ids = batch["ids"] if number == 0 else None\n        '


@pytest.mark.parametrize(
    "chosen",
    [
        'ids, rest = (batch["ids"], start) if number == 0 else (None, None)',
        CHOICE + "if number == 0 and ids.size(0) == 9:\n            continue",
        CHOICE + "if ids is not None and ids.size(0) == 9:\n            continue",
        CHOICE + "if number == 5 and ids is None:\n            continue",
        CHOICE + "if ids is not None:\n            ids = ids + 0",
        CHOICE + "size = ids.size(0) if number == 0 else 0",
        CHOICE + "size = number == 0 and ids.size(0)",
        CHOICE + "assert number or ids.size(0)",
        'ids, rest = (None, start) if number else (batch["ids"], start)',
        '(ids, start), rest = ((batch["ids"], start), 1) if number == 0 else ((None, start), 1)',
        'ids = batch["ids"] if number == 0 else None',
    ],
)
def test_what_is_none_in_some_rounds_is_moved_nowhere_there(chosen: str) -> None:
    after = fix_texts({"main.py": HALVES.format(chosen=chosen)})[0]["main.py"]
    assert "ids = ids.to(" not in after
    assert "masked(ids).to(" not in after


def test_what_is_there_in_each_round_is_moved_there() -> None:
    chosen = 'ids, rest = (batch["ids"], start) if number == 0 else (batch["others"], start)'
    after = fix_texts({"main.py": HALVES.format(chosen=chosen)})[0]["main.py"]
    assert ".to(device)" in after or "device=device" in after
    assert clashes(after) == []
