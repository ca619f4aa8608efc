"""What an object keeps and many places use is made on the device that the object is told."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

from devfix.findings import Applicability

SCALES = """
import torch

class Fixed:
    def __call__(self):
        return 0.1

class Learned:
    def __init__(self, target, start=0.1):
        self.target = target
        self.log = torch.full((1,), start).log().requires_grad_()
        self.opt = torch.optim.Adam([self.log])

    def __call__(self):
        return self.log.exp().detach()

    def step(self, value):
        {step}
"""
STEP = "(self.log * value.detach()).mean().backward()"
AGENT = """
import torch
from torch import nn
from scales import Fixed, Learned

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def make(kind):
    if kind == "learned":
        return Learned(3)
    return Fixed()

class Agent:
    def __init__(self, kind):
        self.net = nn.Linear(3, 1).to(device)
        self.scale = {made}

    def learn(self, x):
        low = (self.net(x) * self.scale()).sum()
        high = (self.net(x + 1) - self.scale()).sum()
        self.scale.step(low + high)

for kind in ("fixed", "learned"):
    agent = Agent(kind)
    for step in range(3):
        agent.learn(torch.ones(2, 3).to(device))
"""
TOLD = {
    "start=0.1)": 'start=0.1, device="cpu")',
    "torch.full((1,), start)": "torch.full((1,), start, device=device)",
    "Learned(3)": "Learned(3, device=device)",
}


def mended(made: str, step: str = STEP, more: str = "") -> tuple[str, str]:
    """The two files before a fix, and after it."""
    files = {"main.py": AGENT.format(made=made) + more, "scales.py": SCALES.format(step=step)}
    after = fix_texts(files, Applicability.UNSAFE)[0]
    return "".join(files.values()), "".join(after[name] for name in files)


def told(text: str) -> str:
    for before, after in TOLD.items():
        text = text.replace(before, after)
    return text


@pytest.mark.parametrize("made", ["Learned(3)", "make(kind)"])
def test_an_object_with_a_tensor_for_many_places_is_told_the_device(made: str) -> None:
    before, after = mended(made)
    assert after == told(before)


def test_what_few_places_use_moves_there() -> None:
    before, after = mended("Learned(3)", "pass")
    assert after.replace("self.scale().to(device)", "self.scale()") == before != after


def test_one_that_somebody_may_make_elsewhere_is_told_nothing() -> None:
    assert "device=device" not in mended("Learned(3)", more="kinds = [Learned, Fixed]\n")[1]


#: A buffer on the host, whatever it is filled from, of which rows are moved for who asks for them.
BUFFER = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Buffer:
    def __init__(self, size):
        self.rows = torch.zeros(size, 3)

    def write(self, at, row):
        self.rows[at] = row{fetched}

    def sample(self):
        return self.rows[:2]

net = nn.Linear(3, 3).to(device)
buffer = Buffer(4)
buffer.write(torch.tensor([0]), net(torch.ones(1, 3).to(device)).detach())
first, again, last = buffer.sample(), buffer.sample(), buffer.sample()
print((net(first) + net(again) + net(last)).sum().item())
"""


def test_what_is_filled_from_the_host_is_not_made_elsewhere() -> None:
    before = BUFFER.format(fetched=".cpu()")
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    assert "torch.zeros(size, 3)" in after
    assert not check_texts({"main.py": after})


GRAPH = """
import torch

class Graph:
    def __init__(self, size):
        self.size = size
        self.rows = torch.eye(size)
"""
GRAPHS = """
import torch
from graph import Graph
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.fc = nn.Linear(3, 3)

    def forward(self, graphs):
        rows = {rows}
        weight = torch.ones(3, 3).to(self.device)
        first = rows @ weight
        second = (rows * weight).sum() + self.fc(rows)
        return first + second + self.fc(first){more}

graphs = [Graph(3) for _ in range(4)]
net = Net(device).to(device)
for step in range(2):
    print(net(graphs).sum())
"""
GATHERED = "torch.stack([graph.rows for graph in graphs], 0)"


def gathered(more: str) -> dict[str, str]:
    """The two files after a fix."""
    texts = {"main.py": GRAPHS.format(rows=GATHERED, more=more), "graph.py": GRAPH}
    return fix_texts(texts, Applicability.UNSAFE)[0]


def test_what_is_gathered_in_one_place_moves_there() -> None:
    after = gathered("")
    assert after["main.py"] == GRAPHS.format(rows=f"{GATHERED}.to(self.device)", more="")
    assert after["graph.py"] == GRAPH


def test_what_is_used_beside_that_is_made_there_for_all() -> None:
    after = gathered(" + graphs[0].rows * weight")
    assert "torch.eye(size, device=device)" in after["graph.py"]
    assert GATHERED + "\n" in after["main.py"]
