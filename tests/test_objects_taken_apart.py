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


GENERATORS = """
import sys
import torch

def flat(tree, prefix=""):
    for key, value in tree.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, dict):
            yield from flat(value, name)
        else:
            yield name, value

def numbers(skipped, last, most=4):
    for number in range(most):
        if number == skipped:
            continue
        yield number
        if number == last:
            break
    return "end"

def told():
    end = yield from numbers(1, 9)
    yield end

def until(done):
    yield 1
    if done:
        return
    yield 2

def tried():
    try:
        yield 1
    except ValueError:
        yield 2

def either(first):
    if first:
        return until(0)
    return told()

def one_of(first):
    kept = (yield 1) if first else (yield 2)

count = len(sys.argv)
"""
TAKEN = """
a = dict(flat({"model": {"head": {"weight": "w"}}, "size": 4}))
b, c = a["model.head.weight"], {key: value for key, value in flat({"x": 1, "y": {"z": "s"}})}
d, e, f = list(numbers(1, 9)), list(numbers(9, 1)), list(numbers(9, 9))
g, h, i = list(numbers(count, 9)), list(numbers(9, count)), list(numbers(count, count))
j, k, l, m = list(told()), list(until(0)), list(until(1)), list(until(count))
n, o, p, q = list(tried()), list(either(count)), list(one_of(1)), [x for x in either(count)]
begun = until(0)
next(begun)
r, s = list(begun), 0
for number in numbers(0, 2):
    s += number
t = tuple(numbers(9, 9, count))
passed = until(0)
u = list(passed)
v = list(passed)
"""


HANDED_ON = """
def handed_on(begun):
    next(begun)
    return begun

def started(made):
    def start():
        return handed_on(made())
    return start

@started
def late():
    yield 1
    yield 2

class Held:
    def __init__(self):
        self.held = handed_on(until(0))

    def __iter__(self):
        return self.held

    def rest(self):
        return self.held

def passed_on():
    begun = handed_on(until(0))
    yield from iter(begun)

begun = handed_on(until(0))
w, x = [number for number in iter(begun)], list(handed_on(until(0)))
y, z, aa = list(late()), list(Held().rest()), list(passed_on())
ab, ac = list(iter(Held())), dict(handed_on(flat({"a": 1, "b": 2})))
ad = 0
for number in handed_on(until(0)):
    ad += number
"""


def test_nothing_false_is_said_of_what_generators_give_that_have_begun() -> None:
    assert lies(GENERATORS + HANDED_ON) == []


def test_what_is_said_of_what_generators_give_is_so() -> None:
    assert lies(GENERATORS + TAKEN) == []


def test_what_generators_give_is_known_one_by_one() -> None:
    end = Ending(GENERATORS + TAKEN)
    assert (end["b"], end["s"]) == (Const("w"), Const(3))
    known = {name: end.interpreter.obj_of(end[name]) for name in "dejklm"}
    wanted = {"d": (0, 2, 3), "e": (0, 1), "j": (0, 2, 3, "end"), "k": (1, 2), "l": (1,)}
    assert {name: obj.items for name, obj in known.items() if obj is not None and obj.items} == {
        name: tuple(map(Const, values)) for name, values in wanted.items()
    }


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_what_a_generator_gives_under_a_name_is_where_it_was_made(device: str) -> None:
    used = f"x = torch.ones(3, device='{device}')\ntorch.ones(3).cuda() * dict(flat({{'a': {{'b': x}}, 'n': 4}}))['a.b']\n"
    assert len(clashes(GENERATORS + used)) == (device == "cpu")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_what_a_generator_returns_is_where_it_was_made(device: str) -> None:
    text = f"""
    import torch
    def inner(x):
        yield 1
        return x
    def outer(x):
        last = yield from inner(x)
        yield torch.ones(3).cuda() * last
    list(outer(torch.ones(3, device='{device}')))
    """
    assert len(clashes(text)) == (device == "cpu")
