"""Classes that descend from what ``namedtuple`` made, or from ``tuple``, and have methods of their own."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes, fix_texts

from devfix.findings import Applicability

SAMPLES = """
from collections import namedtuple
from typing import NamedTuple
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Sample({base}):
{body}
    def to(self, device):
        return {moved}

    @property
    def both(self):
        return self[0] + self[1]


net = nn.Linear(4, 3).to(device)
sample = Sample(torch.randn(2, 4), torch.zeros(2, 4))
"""
NAMED = 'namedtuple("Sample", ["x", "y"])'
BY_NAME = "self._replace(x=self.x.to(device), y=self.y.to(device))"
CLASSES = [
    {"base": NAMED, "body": "    __slots__ = ()\n", "moved": BY_NAME},
    {"base": 'namedtuple("_Sample", "x y z", defaults=[None])', "body": "", "moved": BY_NAME},
    {"base": "NamedTuple", "body": "    x: torch.Tensor\n    y: torch.Tensor\n", "moved": BY_NAME},
    {
        "base": NAMED,
        "body": "    def __new__(cls, x, y=None):\n        return super().__new__(cls, x, y)\n",
        "moved": "Sample(*[each.to(device) for each in self])",
    },
    {
        "base": "tuple",
        "body": "    def __new__(cls, x, y):\n        return super(Sample, cls).__new__(cls, (x, y))\n",
        "moved": "Sample(self[0].to(device), self[1].to(device))",
    },
    {
        "base": "tuple",
        "body": "    def __new__(cls, *parts):\n        return tuple.__new__(cls, parts)\n",
        "moved": "Sample(*(each.to(device) for each in self))",
    },
]
USES = [
    "net(sample[0])",
    "net(sample.both)",
    "x, y = sample\nnet(x)",
    "for each in sample:\n    net(each)",
    "net(sample[:2][1])",
]


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("use", USES)
def test_items_are_where_they_were_made(kind: dict[str, str], use: str) -> None:
    head = SAMPLES.format(**kind)
    assert clashes(f"{head}{use}\n")
    assert not clashes(f"{head}sample = sample.to(device)\n{use}\n")


@pytest.mark.parametrize("kind", CLASSES[:4])
def test_fields_have_their_names(kind: dict[str, str]) -> None:
    head = SAMPLES.format(**kind)
    assert len(clashes(f"{head}net(sample.y)\n")) == 1
    assert not clashes(f"{head}net(sample.to(device).y)\n")
    assert not clashes(f"{head}sample = sample._replace(y=torch.ones(2, 4, device=device))\nnet(sample.y)\n")
    assert not clashes(f"{head}if isinstance(sample, torch.Tensor):\n    net(sample[0])\n")


def test_what_one_field_lacks_is_moved() -> None:
    head = SAMPLES.format(**{**CLASSES[0], "moved": "self._replace(x=self.x.to(device))"})
    wrong = (
        f"{head}sample = sample.to(device)\nloss = nn.functional.mse_loss(net(sample.x), sample.y[:, :3])\n"
    )
    assert len(clashes(wrong)) == 1
    after, _ = fix_texts({"main.py": wrong}, Applicability.SAFE)
    assert not clashes(after["main.py"])


def test_of_items_that_are_not_known_one_by_one_nothing_is() -> None:
    head = SAMPLES.format(**CLASSES[-1]) + "import somewhere\n"
    assert not clashes(f"{head}sample = Sample(*somewhere.parts())\nnet(sample[0])\n")
    head = SAMPLES.format(**CLASSES[0]) + "import somewhere\n"
    assert not clashes(f"{head}sample = Sample(*somewhere.parts())\nnet(sample.x)\n")


@pytest.mark.parametrize("kind", CLASSES)
def test_python_has_what_is_claimed(kind: dict[str, str]) -> None:
    text = (
        SAMPLES.format(**kind)
        + "first, both, moved = sample[0], sample.both, sample.to('cpu')\nlast = moved[1]\n"
    )
    assert not lies(text.replace('"cuda" if torch.cuda.is_available() else "cpu"', '"cpu"'))


@pytest.mark.parametrize(
    ("base", "body", "use"),
    [
        (
            "tuple",
            "def __iter__(self):\n        return (each.to(device) for each in super().__iter__())",
            "x, y = sample",
        ),
        (
            "tuple",
            "def __iter__(self):\n        for each in self.x, self.y:\n            yield each",
            "for x in sample: pass",
        ),
        (
            "tuple",
            "def __getitem__(self, index):\n        return super().__getitem__(index).to(device)",
            "x = sample[0]",
        ),
        (NAMED, "@property\n    def x(self):\n        return self[0].to(device)", "x = sample.x"),
    ],
)
def test_what_a_class_has_in_place_of_items_and_fields_gives_what_it_makes(
    base: str, body: str, use: str
) -> None:
    head = SAMPLES.format(base=base, body=f"    {body}\n", moved="self")
    if base == "tuple":
        head = head.replace(
            "Sample(torch.randn(2, 4), torch.zeros(2, 4))", "Sample([torch.randn(2, 4), torch.zeros(2, 4)])"
        )
    assert not clashes(f"{head}{use}\nnet(x)\n")
