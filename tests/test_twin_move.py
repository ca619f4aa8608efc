"""Of two statements that are the same but for names and numbers, the one moves what it makes as the other does."""

from __future__ import annotations

import pytest
from text_program import fix_texts

SCRIPT = """
import numpy as np
import torch
from torch import nn

def batches(inputs, targets, use_gpu):
    order = np.random.permutation(len(inputs))
    for place in range(3):
        at = order[place : place + 2]
{made}
        yield x, y

def main():
    inputs, targets = np.zeros((9, 3), dtype="float32"), np.zeros(9, dtype="int64")
    net = nn.Linear(3, 3).cuda()
    for x, y in batches(inputs, targets, True):
        nn.functional.cross_entropy(net(x), y).backward()
    for x, y in batches(inputs, targets, True):
        print(nn.functional.cross_entropy(net(x), y).item())

main()
"""
PLAIN = "x = torch.from_numpy(inputs[at])\ny = torch.from_numpy(targets[at])\n"

WITHIN = """\
x = torch.abs(torch.from_numpy(inputs[at]){x}.contiguous())
y = torch.abs(torch.from_numpy(targets[at]){y}.contiguous())"""


def fixed(made: str) -> tuple[str, str]:
    """The function that makes batches as it was and as a fix leaves it, and what follows on it."""
    lines = "".join(f"        {line}\n" for line in made.splitlines())
    text = SCRIPT.format(made=lines.rstrip("\n"))
    after = fix_texts({"main.py": text})[0]["main.py"]
    begin, end = (after.index(mark) for mark in ("at = order", "        yield"))
    body = after[begin:end].split("\n", 1)[1]
    rest = "" if after[after.index("def main") :] == text[text.index("def main") :] else "changed"
    return "\n".join(line[8:] for line in body.rstrip("\n").split("\n")), rest


@pytest.mark.parametrize(
    ("made", "moved"),
    [
        (f"{PLAIN}y = y.cuda()", f"{PLAIN}y = y.cuda()\nx = x.cuda()"),
        (f"{PLAIN}x = x.cuda()", f"{PLAIN}x = x.cuda()\ny = y.cuda()"),
        (
            f"{PLAIN}if use_gpu:\n    y = y.cuda()",
            f"{PLAIN}if use_gpu:\n    y = y.cuda()\n    x = x.cuda()",
        ),
        (WITHIN.format(x="", y=".cuda()"), WITHIN.format(x=".cuda()", y=".cuda()")),
    ],
    ids=["behind", "the other one", "under a guard", "within"],
)
def test_it_moves_as_its_twin_does(made: str, moved: str) -> None:
    assert fixed(made) == (moved, "")


@pytest.mark.parametrize(
    "made",
    [
        f"{PLAIN}print(x.numpy())\ny = y.cuda()",
        "x = torch.from_numpy(inputs[at])\ny = torch.tensor(targets[at])\ny = y.cuda()",
        WITHIN.format(x="", y=".cuda()").replace("torch.abs", "torch.square", 1),
    ],
    ids=["it is read before", "made by another function", "within another function"],
)
def test_what_is_no_twin_or_was_used_moves_otherwise(made: str) -> None:
    now, _ = fixed(made)
    assert not now.endswith("x = x.cuda()")
    assert "inputs[at]).cuda()" not in now


BETWEEN = """
import numpy as np
import torch
from torch import nn
from torch.autograd import Variable

def parts():
    yield torch.ones(4, 3), torch.ones(4, 1)

def main():
    a, b = np.ones((4, 3), dtype=np.float32), np.ones((4, 1), dtype=np.float32)
    net = nn.Linear(3, 1).cuda()
    for x, y in parts():
        x = {x}
        where = next(net.parameters()).device
        y = {y}
        print((net(x) - y).sum())

main()
"""


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("Variable(torch.from_numpy(a))", "Variable(torch.from_numpy(b).to(where))"),
        ("torch.from_numpy(a)", "torch.from_numpy(b).to(where)"),
        ("Variable(x)", "Variable(y.to(where))"),
        ("x.float()", "y.float().to(where)"),
    ],
)
def test_what_is_named_between_the_two_is_not_asked_for_above_that(x: str, y: str) -> None:
    text = BETWEEN.format(x=x, y=y)
    above = text.replace("        where = next(net.parameters()).device\n", "")
    above = above.replace("        x = ", "        where = next(net.parameters()).device\n        x = ")
    after, moved = (fix_texts({"main.py": each})[0]["main.py"] for each in (text, above))
    assert after != text
    assert ".to(where)" not in after.partition("where =")[0]
    assert f"{x.removesuffix(')')}.to(where)" in moved or f"{x}.to(where)" in moved


KEPT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, words, sentences):
        super().__init__()
        self.words, self.sentences = words, sentences
        self.gru, self.top = nn.GRU(3, words), nn.GRU(words, sentences)

    def begin(self, n):
{made}

    def show(self):
        print(self.low)

    def forward(self, x):
        out, self.low = self.gru(x, self.low)
        out, self.high = self.top(out, self.high)
        return out

net = Net(4, 5).cuda()
for n in (2, 3):
    net.begin(n)
    print(net(torch.ones(6, n, 3).cuda()).sum().item())
"""
STATES = "self.low = torch.zeros(1, n, self.words)\nself.high = torch.zeros(1, n, self.sentences)\n"
HIGH = "self.high = self.high.cuda()"
LOW = "self.low = self.low.cuda()"


def kept(made: str) -> str:
    """The method that makes the states, as a fix leaves it."""
    lines = "".join(f"        {line}\n" for line in made.splitlines())
    after = fix_texts({"main.py": KEPT.format(made=lines.rstrip("\n"))})[0]["main.py"]
    body = after[after.index("    def begin") : after.index("    def show")].split("\n", 1)[1]
    return "\n".join(line[8:] for line in body.rstrip().split("\n"))


@pytest.mark.parametrize(
    ("made", "moved"),
    [
        (f"{STATES}{HIGH}", f"{STATES}{HIGH}\n{LOW}"),
        (f"{STATES}{LOW}", f"{STATES}{LOW}\n{HIGH}"),
        (
            f"{STATES}if torch.cuda.is_available():\n    {HIGH}",
            f"{STATES}if torch.cuda.is_available():\n    {HIGH}\n    {LOW}",
        ),
        (f"{STATES}print(self.words)\n{HIGH}", f"{STATES}print(self.words)\n{HIGH}\n{LOW}"),
    ],
    ids=["behind", "the other one", "under a guard", "something else is asked for"],
)
def test_what_an_object_keeps_moves_as_its_twin_does(made: str, moved: str) -> None:
    assert kept(made) == moved


@pytest.mark.parametrize(
    "made",
    [
        f"{STATES}self.show()\n{HIGH}",
        f"{STATES}print(self.low.sum())\n{HIGH}",
        f"{STATES}print(self)\n{HIGH}",
        f"self.low = torch.ones(1, n, self.words)\n{STATES.splitlines()[1]}\n{HIGH}",
    ],
    ids=["a method may see it", "it is read before", "the object is handed on", "made by another function"],
)
def test_what_was_seen_by_then_or_is_made_otherwise_moves_where_it_is_made(made: str) -> None:
    now = kept(made)
    assert LOW not in now
    assert now != made


def test_a_constant_of_a_module_is_no_attribute_of_an_object() -> None:
    """Two dtypes make two kinds of tensors."""
    made = STATES.replace("self.words)", "self.words, dtype=torch.float32)")
    made = made.replace("self.sentences)", "self.sentences, dtype=torch.float)")
    assert LOW not in kept(f"{made}{HIGH}")


BOUNDS = """
import torch
from torch import nn

class Normalize(nn.Module):
    def __init__(self, means, sds):
        super().__init__()
        {means}
        {sds}

    def forward(self, x):
        return (x - self.means) / self.sds

net = Normalize([0.1, 0.2], [1.0, 2.0])
net = nn.Sequential(net{moved}, nn.Linear(2, 2).cuda())
print(net(torch.ones(3, 2).cuda()).sum())
"""
MEANS, SDS = "self.means = torch.tensor(means)", "self.sds = torch.tensor(sds)"


@pytest.mark.parametrize("moved", ["", ".cuda()"])
def test_an_attribute_of_a_module_moves_as_its_twin_does(moved: str) -> None:
    right = BOUNDS.format(means=f"{MEANS}.cuda()", sds=f"{SDS}.cuda()", moved=moved)
    assert fix_texts({"main.py": right})[0]["main.py"] == right
    for means, sds in ((MEANS, f"{SDS}.cuda()"), (f"{MEANS}.cuda()", SDS)):
        text = BOUNDS.format(means=means, sds=sds, moved=moved)
        assert fix_texts({"main.py": text})[0]["main.py"] == right


def test_without_a_twin_it_becomes_a_buffer() -> None:
    for sds in (
        SDS,
        "self.sds = torch.as_tensor(sds).cuda()",
        'self.register_buffer("sds", torch.tensor(sds))',
    ):
        text = BOUNDS.format(means=MEANS, sds=sds, moved=".cuda()")
        assert 'self.register_buffer("means"' in fix_texts({"main.py": text})[0]["main.py"]
