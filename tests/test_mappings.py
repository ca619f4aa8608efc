"""Batches of classes made of UserDict or Mapping, and classes that compute attributes and entries."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """\
from collections import UserDict
from collections.abc import Mapping, MutableMapping

import torch
import torch.nn as nn

net = nn.Linear(3, 2).to("cuda")


class Batch(UserDict):
    def to(self, device):
        self.data = {key: value.to(device) for key, value in self.data.items()}
        return self

    def to_each(self, device):
        for key in self.data:
            self.data[key] = self.data[key].to(device)


class Fields(Mapping):
    def __init__(self, **fields):
        self.fields = fields

    def __getitem__(self, key):
        return self.fields[key]

    def __iter__(self):
        return iter(self.fields)

    def __len__(self):
        return len(self.fields)


class Store(MutableMapping):
    def __init__(self, *args, **kwargs):
        self.store = {}
        self.update(dict(*args, **kwargs))

    def __getitem__(self, key):
        return self.store[key]

    def __setitem__(self, key, value):
        self.store[key] = value

    def __delitem__(self, key):
        del self.store[key]

    def __iter__(self):
        return iter(self.store)

    def __len__(self):
        return len(self.store)


class Data:
    def __init__(self, content):
        self.content = content

    def __getattr__(self, name):
        return self.content[name]

    def __setitem__(self, name, value):
        self.content[name] = value


class Strict:
    def __getattr__(self, name):
        raise AttributeError(name)


x = torch.rand(2, 3)
"""

ON_CPU = [
    'net(Batch(x=x)["x"])\n',
    'net(Batch({"x": x}).data["x"])\n',
    'net(Fields(x=x)["x"])\n',
    'net(Fields(x=x).get("x"))\n',
    "net(next(iter(Fields(x=x).values())))\n",
    'net(Store(x=x)["x"])\n',
    "for key, value in Store(x=x).items(): net(value)\n",
    'net(Data({"x": x}).x)\n',
]
ON_ACCELERATOR = [
    'net(Batch(x=x).to("cuda")["x"])\n',
    'b = Batch(x=x)\nb.to("cuda")\nnet(b["x"])\n',
    'b = Batch(x=x)\nb.to_each("cuda")\nnet(b["x"])\n',
    's = Store(x=x)\ns["x"] = x.cuda()\nnet(s["x"])\n',
    's = Store(x=x)\ns.update(x=x.cuda())\nnet(s["x"])\n',
    'd = Data({"x": x})\nd["x"] = x.cuda()\nnet(d.x)\n',
    'd = Data({"x": x})\nif hasattr(d, "device"):\n    net(x.cuda())\n',
    'net(getattr(Strict(), "x", x.cuda()))\n',
    "net(Strict().x)\n",
]


@pytest.mark.parametrize("text", ON_CPU)
def test_entries_are_what_was_given(text: str) -> None:
    program = HEAD + text
    assert clashes(program) == [f"{len(program.splitlines())}: device"]


@pytest.mark.parametrize("text", ON_ACCELERATOR)
def test_entries_that_moved_are_there(text: str) -> None:
    assert clashes(HEAD + text) == []


def test_a_name_that_raises_does_not_end_the_program() -> None:
    program = HEAD + 'print(getattr(Strict(), "x", 1))\nnet(x)\n'
    assert clashes(program) == [f"{len(program.splitlines())}: device"]
