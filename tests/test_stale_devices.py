"""What a module notes of its device before it moves becomes a property, where all that goes by it is left behind."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import torch
from torch import nn

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = "net"
        self.device = torch.device("cpu")

    def frozen(self):
        return self


class Net(Base):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


def started(net, n):
    return net(torch.randn(n, 4).to(net.device)) + net(torch.zeros(n, 4, device=net.device))


net = Net()
net.to(DEVICE)
print(started(net, 3))
"""
NOTE = '        self.device = torch.device("cpu")\n'
PROPERTY = """
    @property
    def device(self):
        return next(self.parameters()).device
"""


@pytest.mark.parametrize("written", [NOTE, '        self.device = "cpu"\n'])
def test_a_note_becomes_a_property(written: str) -> None:
    text = PROGRAM.replace(NOTE, written)
    assert _fixed(text) == text.replace(written, PROPERTY)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "net.to(DEVICE)\n",
            "net.to(DEVICE)\nseen = torch.zeros(2, device=net.device)\nprint(seen.numpy())\n",
        ),
        ("net.to(DEVICE)\n", "net.to(DEVICE)\nother = Net()\nother.device = torch.device('cpu')\n"),
        ("nn.Linear(4, 4)\n", "nn.Linear(4, 4)\n        self.first = torch.zeros(1, device=self.device)\n"),
        ("torch.zeros(n", "torch.randn(n"),
        ("net = Net()\n", "net = Net()\nsetattr(net, 'kind', 'other')\n"),
        ("(nn.Module)", "(nn.Module, Kept)"),
    ],
    ids=["stays on the CPU", "set elsewhere", "asked before", "drawn there", "set by name", "of two classes"],
)
def test_a_note_that_is_used_otherwise_stays(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new).replace("class Base", "class Kept:\n    pass\n\n\nclass Base")
    after = _fixed(text)
    assert NOTE in after
    assert "@property" not in after
    assert after != text


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


ASKING = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(1))
        self.spare = torch.ones(1)
        self.device = {note}
        self.register_buffer("shift", torch.zeros(4, device=self.device))

    def forward(self, x):
        noise = torch.randn(x.size(0), 4, device=self.device)
        mask = torch.ones(4, device=self.device)
        return self.layer((x + noise * mask) * self.scale) + self.shift

    def start(self, n):
        return torch.zeros(n, 4, device=self.device)


class Runner:
    def __init__(self, device):
        self.device = device
        self.net = Net().to(device)

    def run(self, x):
        return self.net(x.to(self.device) + self.net.start(2))


runner = Runner(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
print(runner.run(torch.ones(2, 4)), runner.net.device)
"""


def as_property(text: str, note: str) -> str:
    end = "        self.register_buffer"
    head, tail = text.split(end)
    line, rest = tail.split("\n", 1)
    head = head.replace(f"        self.device = {note}\n", "")
    return f"{head}{end}{line}\n\n    @property\n    def device(self):\n        return {note}\n{rest}"


@pytest.mark.parametrize(
    "note",
    [
        "next(self.parameters()).device",
        "next(iter(self.parameters())).device",
        "next(self.layer.parameters()).device",
        "self.layer.weight.device",
        "self.scale.device",
    ],
)
def test_a_note_of_where_parameters_were_tells_where_they_are(note: str) -> None:
    text = ASKING.format(note=note)
    assert _fixed(text) == as_property(text, note)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.device = next(self.parameters()).device", "self.device = self.spare.device"),
        ("runner.run(torch.ones(2, 4)),", "torch.ones(2, device=runner.net.device).numpy(),"),
        ("class Runner:", "class Runner(nn.Module, dict):"),
        ("self.net = Net().to(device)", "self.net = nn.DataParallel(Net()).to(device).module"),
        ("print(", "runner.net.device = torch.device('cpu')\nprint("),
    ],
    ids=["of a tensor that stays", "used on the CPU", "of a class of two", "copied", "set anew"],
)
def test_a_note_of_where_parameters_were_stays_where_more_goes_by_it(old: str, new: str) -> None:
    text = ASKING.format(note="next(self.parameters()).device").replace(old, new)
    assert "@property" not in _fixed(text)


_GIVEN = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.device = next(inner.parameters()).device

    def forward(self, x):
        return self.inner(x.to(self.device))


net = Net(nn.Linear(4, 4)).cuda()
print(net(torch.ones(2, 4).cuda()))
"""


@pytest.mark.parametrize(
    ("old", "new", "asks"),
    [
        ("inner.parameters", "inner.parameters", "next(self.inner.parameters()).device"),
        (
            "self.device = next(inner.",
            "last = nn.Linear(4, 4)\n        self.last = last\n        self.device = next(last.",
            "next(self.last.parameters()).device",
        ),
    ],
)
def test_a_note_of_what_the_constructor_was_given_asks_what_keeps_it(old: str, new: str, asks: str) -> None:
    after = _fixed(_GIVEN.replace(old, new))
    assert f"    def device(self):\n        return {asks}\n" in after
    assert "self.device =" not in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.inner = inner", "self.inner = nn.Sequential(inner)"),
        ("self.inner = inner", "self.inner = inner\n        inner = nn.Linear(2, 2)"),
        ("self.inner = inner", "self.inner = inner if inner else nn.Linear(2, 2)"),
    ],
    ids=["kept within", "another one", "one of two"],
)
def test_a_note_of_what_nothing_keeps_stays(old: str, new: str) -> None:
    assert "@property" not in _fixed(_GIVEN.replace(old, new))


def test_a_note_stays_where_a_part_moves_without_the_first_parameter() -> None:
    text = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 4)
        self.layer = nn.Linear(4, 4)
        self.device = torch.device("cpu")

    def forward(self, x):
        return self.layer(x) + torch.ones(4, device=self.device)


net = Net()
net.layer.to("cuda")
print(net(torch.ones(2, 4).to("cuda")))
"""
    after = _fixed(text)
    assert "@property" not in after
    assert "torch.ones(4, device=self.device).to(x.device)" in after
