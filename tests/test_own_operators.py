"""What classes of the project define for themselves: operators, lists, dicts; and what is made on demand."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """\
import collections
import contextlib
import enum
import functools
import torch
import torch.nn as nn

host, there = torch.rand(3), torch.rand(3).cuda()


class Vector:
    def __init__(self, t):
        self.t = t

    def __add__(self, other):
        return Vector(self.t + other.t)

    def __radd__(self, other):
        return self

    def __iadd__(self, other):
        self.t = other
        return self


class Rows(list):
    def __init__(self, rows, name):
        super().__init__(rows)
        self.name = name

    def moved(self, device):
        return Rows([row.to(device) for row in self], self.name)


class Columns(collections.UserDict):
    def __getitem__(self, key):
        if isinstance(key, str):
            return self.data[key]
        return Columns({name: column[key] for name, column in self.data.items()})


class Meta(type):
    made = {}

    def __new__(mcs, name, bases, namespace):
        cls = super().__new__(mcs, name, bases, namespace)
        mcs.made[namespace.get("key")] = cls
        return cls


class Part(metaclass=Meta):
    key = "part"

    def step_one(self, x):
        return x

    def step_two(self, x):
        return x * 2


@functools.singledispatch
def moved(x, device):
    return x


@moved.register
def _(x: torch.Tensor, device):
    return x.to(device)


@moved.register(dict)
def _(x, device):
    return {key: moved(value, device) for key, value in x.items()}


@moved.register(tuple)
@moved.register(list)
def _(x, device):
    return type(x)(moved(value, device) for value in x)


cache = {}


def looked_up(n):
    try:
        return cache[n]
    except KeyError:
        cache[n] = x * n
        return cache[n]


class Lazy:
    def table(self):
        try:
            found = self._table
        except AttributeError:
            found = self._table = x * 2
        return found


class Tables(nn.Module):
    def __init__(self, n):
        super().__init__()
        for i in range(n):
            self.register_buffer(f"table_{i}", torch.rand(3))

    def forward(self, i):
        return getattr(self, f"table_{i}")


def changed(start):
    start += x
    return start.t


def managed():
    with contextlib.ExitStack() as stack:
        return stack.enter_context(contextlib.nullcontext(x))


class Kind(str, enum.Enum):
    ONE = "one"
    TWO = "two"

    def scaled(self, x):
        return x if self is Kind.ONE else x * 2


class Only:
    made = None

    def __new__(cls):
        if cls.made is None:
            cls.made = super().__new__(cls)
            cls.made.t = x
        return cls.made


def updated():
    found = {}
    found.update(zip(["a"], [x]))
    return found["a"]


def by_phase(phase):
    return getattr(Part(), f"step_{phase}")(x)
"""
WAYS = [
    "(Vector(x) + Vector(x)).t",
    "sum([Vector(x), Vector(x)]).t",
    "changed(Vector(there))",
    "Rows([host], 'a').moved(x.device)[0]",
    "Columns({'a': x})['a']",
    "Columns({'a': torch.stack([x, x])})[torch.tensor([0])]['a']",
    "Meta.made['part']().step_one(x)",
    "moved({'a': [host, (1, host)]}, x.device)['a'][1][1]",
    "looked_up(3)",
    "Lazy().table()",
    "Tables(9).to(x.device)(5)",
    "managed()",
    "by_phase(input())",
    "Kind.TWO.scaled(x)",
    "Only().t",
    "updated()",
    "torch.no_grad()(lambda t: t * 2)(x)",
    "Kind(input()).scaled(x)",
    "Kind[input()].scaled(x)",
    "[kind.scaled(x) for kind in Kind][0]",
    "{kind: kind.scaled(x) for kind in Kind}[Kind.ONE]",
    "Vector(x).__class__(x).t",
]


@pytest.mark.parametrize("way", WAYS)
def test_what_passes_through_stays_where_it_is(way: str) -> None:
    line = HEAD.count("\n") + 3
    assert clashes(f"{HEAD}\nx = host\nthere * {way}\n") == [f"{line}: device"]
    assert clashes(f"{HEAD}\nx = there\nhost * {way}\n") == [f"{line}: device"]


@pytest.mark.parametrize("way", WAYS)
def test_what_agrees_is_no_clash(way: str) -> None:
    assert clashes(f"{HEAD}\nx = there\nthere * {way}\n") == []


def test_a_member_is_no_other() -> None:
    assert clashes(f"{HEAD}\nx = there\nif Kind.ONE is Kind.TWO:\n    there * host\n") == []


def test_a_stack_leaves_what_it_entered() -> None:
    program = """\
    import contextlib, torch
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.device("cuda"))
        x = torch.rand(3)
    y = torch.rand(3)
    x * y
    """
    assert clashes(program) == ["6: device"]


def test_a_fallback_is_still_muted() -> None:
    program = """\
    import torch
    x = torch.rand(3).cuda()
    try:
        y = load()
    except OSError:
        y = torch.rand(3)
    x * y
    """
    assert clashes(program) == []
