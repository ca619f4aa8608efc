"""Classes made of dict whose entries are attributes: what configurations are."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """\
import torch
import torch.nn as nn


class Nested(dict):
    def __init__(self, content):
        super().__init__()
        for key, value in content.items():
            self[key] = Nested(value) if isinstance(value, dict) else value

    __getattr__ = dict.__getitem__


class Own(dict):
    def __init__(self, *args, **kwargs):
        super(Own, self).__init__(*args, **kwargs)
        self.__dict__ = self


class Plain(dict):
    def __getattr__(self, key):
        return self[key]

    def __setattr__(self, key, value):
        self[key] = value


class Wrapping(dict):
    def __getattr__(self, key):
        value = self[key]
        return Wrapping(value) if isinstance(value, dict) else value


"""
USE = "nn.Linear(3, 2).to({})(torch.rand(2, 3))\n"

#: How a device comes into a configuration, and how it comes out.
WAYS = {
    'c = Nested({"device": "cuda"})\n': "c.device",
    'c = Nested({"train": {"device": "cuda"}})\n': "c.train.device",
    'c = Own({"device": "cuda"})\n': "c.device",
    'c = Own()\nc.device = "cuda"\n': 'c["device"]',
    'c = Plain(device="cuda")\n': "c.device",
    'c = Plain(lr=1)\nc["device"] = "cuda"\n': "c.device",
    'c = Wrapping({"train": {"where": {"device": "cuda"}}})\n': "c.train.where.device",
    'c = Plain(train=Plain(device="cuda"))\nd = dict(**c)\n': 'd["train"].device',
}


@pytest.mark.parametrize("text", WAYS)
def test_an_entry_is_an_attribute(text: str) -> None:
    program = HEAD + text + USE.format(WAYS[text])
    assert clashes(program) == [f"{len(program.splitlines())}: device"]


def test_methods_come_before_entries() -> None:
    program = HEAD + 'c = Plain(items="cuda")\nfor key, value in c.items():\n    print(key, value)\n'
    assert clashes(program + USE.format('"cuda"')) == [f"{len(program.splitlines()) + 1}: device"]


def test_a_class_with_its_own_way_to_get_entries_is_unknown() -> None:
    text = 'class Odd(dict):\n    def __getitem__(self, key):\n        return "cpu"\n\n\nc = Odd(device="cuda")\n'
    assert clashes(HEAD + text + USE.format('c["device"]')) == []
