"""Objects and generators that are taken apart give their parts in turn."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

HEAD = """import itertools
import torch

class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def __iter__(self):
        yield self.first
        yield self.second

class Row(Pair):
    def __iter__(self):
        return iter((self.first, self.second))

class Perhaps(Pair):
    def __iter__(self):
        if self.second:
            yield self.first
        yield self.second
        yield self.first

def two():
    yield 1
    yield "b"

def given(*args):
    return args
"""
BODY = """
a, b = Pair(1, "x")
c, d = Row(2, "y")
e, f = two()
g = given(*Pair(3, "z"))
h, *i = Row(4, "w")
j = [*Pair(5, "v")]
k = tuple(itertools.islice([1, 2, 3, 4], 1, None, 2))
l = list(itertools.islice(itertools.cycle([1, 2]), 3))
m, n = Perhaps(6, 0)
"""


def test_what_is_said_of_them_is_so() -> None:
    assert not lies(HEAD + BODY)


def test_what_is_known_of_them() -> None:
    end = Ending(HEAD + BODY)
    assert [end[name] for name in "abcdefh"] == list(map(Const, (1, "x", 2, "y", 1, "b", 4)))


@pytest.mark.parametrize("cls", ["Pair", "Row"])
def test_each_part_is_where_it_was(cls: str) -> None:
    text = f"""{HEAD}
x, y = {cls}(torch.ones(3, device="cuda"), torch.ones(3))
print(torch.ones(3, device="cuda") + x)
print(torch.ones(3, device="cuda") + y)
"""
    assert clashes(text) == [f"{text.count(chr(10))}: device"]


def test_what_depends_on_the_way_is_not_told_apart() -> None:
    text = f"""{HEAD}
x, y = Perhaps(torch.ones(3, device="cuda"), torch.ones(3))
print(torch.ones(3, device="cuda") + y)
"""
    assert not clashes(text)
