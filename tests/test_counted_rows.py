"""How much a tensor holds is asked of data: what there is for an empty one meets what is made of the others."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

PROGRAM = """
import torch
from torch import nn
class Instances:
    def __init__(self, boxes):
        self.boxes = boxes
    def to(self, device):
        return Instances(self.boxes.to(device))
    def __len__(self):
        return {count}
class Assigner:
    def assign(self, points, found):
        if {test}:
            return {nothing}
        return points.sum(1).long()
    def __call__(self, points, instances):
        return torch.stack([self.assign(points, {given}) for each in instances])
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
points = nn.Linear(4, 4).to(device)(torch.rand(7, 4, device=device))
Assigner()(points, [Instances(torch.zeros(k)).to(device) for k in range(8)])
"""
HOST = "torch.full((points.size(0),), 3)"
BESIDE = "torch.full((points.size(0),), 3, device=points.device)"
TESTS = ("len(found) == 0", "not len(found)", "1 > len(found)")
COUNTS = ("self.boxes.numel()", "len(self.boxes)", "self.boxes.shape[0]", "int(self.boxes.size(0))")


def found(test: str, nothing: str, count: str = COUNTS[0], given: str = "each") -> list[str]:
    """What is found where nothing is what an assigner gives by a test."""
    return clashes(PROGRAM.format(count=count, test=test, nothing=nothing, given=given))


@pytest.mark.parametrize("test", TESTS)
def test_what_an_empty_tensor_gives_meets_what_the_others_give(test: str) -> None:
    """Some are empty, and others are not."""
    assert found(test, HOST, given="each.boxes") == ["17: device"]
    assert found(test, BESIDE, given="each.boxes") == []


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("test", TESTS)
def test_so_does_an_object_that_is_as_long_as_a_tensor(test: str, count: str) -> None:
    """Its length is that of what it keeps."""
    assert found(test, HOST, count) == ["17: device"]
    assert found(test, BESIDE, count) == []


def test_an_object_of_another_length_is_not_known_to_be_empty_at_times() -> None:
    """A number that it was given may be an option."""
    assert found(TESTS[0], HOST, count="self.size") == []
    assert found("len(found) == self.size", HOST) == []


MEMORY = """
import torch
from torch import nn
class Memory:
    def __init__(self):
        self.rows = torch.{empty}
    def add(self, rows):
        if {test}:
            self.rows = rows
        else:
            self.rows = torch.cat([self.rows, rows])
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net, memory = nn.Linear(4, 4).to(device), Memory()
for _ in range(5):
    memory.add(net(torch.rand(3, 4, device=device)).detach())
    net(memory.rows)
"""


@pytest.mark.parametrize(
    "test",
    ["len(self.rows) == 0", "self.rows.shape[0] == 0", "self.rows.size(0) == 0", "self.rows.numel() == 0"],
)
def test_what_begins_without_rows_is_replaced_when_there_are_some(test: str) -> None:
    """The other branch does not find it; of what has rows it does."""
    for empty in ("zeros(0, 4)", "empty((0, 4))"):
        assert clashes(MEMORY.format(test=test, empty=empty)) == []
    assert clashes(MEMORY.format(test=test, empty="zeros(1, 4)")) != []
    assert clashes(MEMORY.format(test="self.rows.size(1) == 0", empty="zeros(0, 4)")) != []


VIEWS = """
import torch
empty = torch.zeros(0, 3)
turned, named, put, last, some = empty.T, empty.mT, empty[None], empty[..., None], empty[:, 1:]
counts = [len(each) for each in (turned, named, put, last, some)]
columns, row, rows = len(turned), put.size(0), turned.shape
none, nothing = len(empty), len(some)
drawn = torch.randint(0, 5, (3,))
three = len(drawn)
"""


def test_views_of_what_has_no_rows_may_have_some() -> None:
    assert lies(VIEWS) == []
