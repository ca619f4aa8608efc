"""What an object makes anew of what it keeps is made where the object was moved to."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

METERS = """
import torch

class Meter:
    def __init__(self):
        {begin}
        self.add("total", torch.zeros(2))

    def add(self, name, value):
        self.kept[name] = value
        setattr(self, name, value.clone())

    def move(self, where):
        {note}
        for name in self.kept:
            setattr(self, name, getattr(self, name).to(where))
        return self

    def reset(self):
        {reset}

    def update(self, x):
        self.total += torch.stack([x.sum(), x.mean()])
"""
MAIN = """
import torch
from torch import nn
from meters import Meter
from place import device

net, meter = nn.Linear(3, 3).to(device), Meter().move(device)
for epoch in range(3):
    for x in torch.utils.data.DataLoader([torch.ones(3)]):
        meter.update(net(x.to(device)).detach())
    print(meter.total)
    meter.reset()
"""
PLACE = """
import torch

def __getattr__(name):
    if name == "device":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    raise AttributeError(name)
"""
BEGIN = "self.kept, self.where = {}, None"
ALL = "for name, value in self.kept.items(): setattr(self, name, value.clone())"


def mended(reset: str, begin: str = BEGIN, note: str = "self.where = where") -> tuple[str, str]:
    """The meters before a fix, and after it."""
    text = METERS.format(begin=begin, note=note, reset=reset)
    files = {"main.py": MAIN, "meters.py": text, "place.py": PLACE}
    after = fix_texts(files, Applicability.UNSAFE)[0]
    assert after["main.py"] == MAIN
    return text, after["meters.py"]


@pytest.mark.parametrize("reset", [ALL, 'self.total = self.kept["total"].clone()'])
@pytest.mark.parametrize("begin", [BEGIN, "self.kept = {}"])
def test_what_is_written_to_is_made_where_the_object_was_moved(reset: str, begin: str) -> None:
    before, after = mended(reset, begin)
    assert after == before.replace(reset, reset.replace(".clone()", ".clone().to(self.where)"))


@pytest.mark.parametrize(
    ("begin", "note"), [("self.kept = {}", "print(where)"), ('self.kept, self.where = {}, "a"', "pass")]
)
def test_an_object_that_does_not_note_its_device_is_not_asked_for_it(begin: str, note: str) -> None:
    assert "self.where)" not in mended(ALL, begin, note)[1]


def test_what_stays_where_it_was_moved_is_left_alone() -> None:
    before, after = mended("for name, value in self.kept.items(): getattr(self, name).zero_()")
    assert after == before
