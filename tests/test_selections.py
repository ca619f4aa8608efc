"""What tools let through of a collection: what they leave out is not used, and of several things ``max`` gives one."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """
from itertools import compress, cycle, dropwhile, filterfalse, takewhile

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, device=device)
there, host = torch.ones(4, device=device), torch.ones(4)
pairs = [(0, there), (1, there), (2, host)]
mixed = [host, there, there]
"""
RIGHT = [
    "for n, t in takewhile(lambda pair: pair[0] < 2, pairs): x = x + t",
    "for n, t in dropwhile(lambda pair: pair[0] > 0, reversed(pairs)): x = x + t",
    "for n, t in filterfalse(lambda pair: pair[0] > 1, pairs): x = x + t",
    "for t in compress(mixed, [0, 1, 1]): x = x + t",
    "x = x + min(pairs, key=lambda pair: pair[0])[1]",
    "x = x + max(mixed, key=lambda each: each.sum())",
    "for t in takewhile(lambda each: each.sum() > 9, mixed): x = x + t",
    "x = x + max([there] * 20 + [host], key=lambda each: each.is_cuda == x.is_cuda)",
    "for t in compress([there, host], cycle([1, 0])): x = x + t",
    "for t in filter(lambda each: each.is_cuda == x.is_cuda, [there] * 20 + [host]): x = x + t",
    "for t in filterfalse(lambda each: each.is_cuda != x.is_cuda, [there] * 20 + [host]): x = x + t",
]
WRONG = [
    "for n, t in takewhile(lambda pair: pair[0] < 3, pairs): x = x + t",
    "for n, t in dropwhile(lambda pair: pair[0] < 2, pairs): x = x + t",
    "for n, t in filterfalse(lambda pair: pair[0] < 2, pairs): x = x + t",
    "for t in compress(mixed, [1, 1, 0]): x = x + t",
    "x = x + max(pairs, key=lambda pair: pair[0])[1]",
    "x = x + max([host, torch.zeros(4)], key=lambda each: each.sum())",
    "for t in filter(lambda each: each.sum() > 1, [host] * 20): t + x",
]


@pytest.mark.parametrize("use", RIGHT)
def test_what_is_left_out(use: str) -> None:
    assert clashes(f"{HEAD}{use}\n") == []


@pytest.mark.parametrize("use", WRONG)
def test_what_comes_through(use: str) -> None:
    assert clashes(f"{HEAD}{use}\n") == [f"{HEAD.count(chr(10)) + 1}: device"]


def test_nothing_false_is_said_of_them() -> None:
    text = """
import time
from itertools import compress, dropwhile, filterfalse, takewhile

numbers = [3, 1, 2, 5]
names = ["b", "a", "c"]
first = [*takewhile(lambda n: n != 2, numbers)]
rest = [*dropwhile(lambda n: n != 2, numbers)]
none = [*dropwhile(lambda n: True, numbers)]
small = [*filterfalse(lambda n: n > 2, numbers)]
told = [*filterfalse(None, [0, 1, ""])]
some = [*compress(names, [True, False, 1])]
nothing = [*compress([], [len(names) > time.time()])]
even_less = [*filter(None, [])]
short = [*compress(names, [1])]
largest, least = max(numbers, key=lambda n: -n), min(names, key=len)
longest = max(["a", "bcd", "efg"], key=len)
even = max(numbers, key=lambda n: n % 2 == 0)
fewest = min([], default=4, key=len)
"""
    assert lies(text) == []
