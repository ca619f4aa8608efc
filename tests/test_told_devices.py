"""What is made beside a call that is told its device is told the same; a table of devices is none."""

from __future__ import annotations

import ast

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability
from devfix.observation.own_choice import _is_choice

PROGRAM = """
import torch

class Sample(dict):
    def member(self):
        ids = torch.arange(2)
        return ids.repeat_interleave(torch.tensor([2, 3], device={told}))

def total():
    sample = Sample(x=torch.ones(5).cuda())
    return sample["x"] + sample.member()

print(total())
"""


@pytest.mark.parametrize("told", ['self["x"].device', "self['x'].device", 'self["x"].detach().device'])
def test_the_device_of_an_entry_is_named_as_it_is_written(told: str) -> None:
    before = files(PROGRAM.format(told=told))
    after = fix_texts(before, Applicability.UNSAFE)[0]["main.py"]
    assert (f".to({told})" in after or f"arange(2, device={told})" in after) is ("detach" not in told)


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ('"cuda" if torch.cuda.is_available() else "cpu"', True),
        ('torch.device("cuda" if torch.cuda.is_available() else "cpu")', True),
        ('{"cuda": torch.cuda.is_available(), "cpu": True}', False),
        ('["cpu", torch.cuda.is_available()]', False),
        ('torch.cuda.is_available() and "cpu"', False),
    ],
)
def test_a_table_of_devices_is_no_device(value: str, *, is_one: bool) -> None:
    assert _is_choice(ast.parse(value, mode="eval").body) is is_one
