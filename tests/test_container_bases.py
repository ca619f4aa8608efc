"""What containers of the project's own have from ``list`` and ``dict``, and what those do when they are named."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

HEAD = """
import collections
import torch

class Options(dict):
    def update(self, *args, **more):
        self.rounds = 1
        super().update(*args, **more)

    def get(self, name, default=None):
        return super().get(name, default)

    def add(self, name, value):
        dict.__setitem__(self, name, value)

class Doubled(list):
    def append(self, x):
        super().append(x * 2)

    def __iter__(self):
        return super().__iter__()

class Recent(collections.OrderedDict):
    def keep(self, name, value, most=2):
        super().__setitem__(name, value)
        collections.OrderedDict.move_to_end(self, name, last=False)

class Rows(list):
    def __init__(self, rows):
        list.__init__(self, rows)

host, there = torch.ones(3), torch.ones(3)
"""
BODY = """
options = Options(size=1)
options.update({"name": "a"}, rate=2.0)
options.add("kept", 5)
a, b, c, d = options["name"], options.get("rate"), options["kept"], options.get("other", 7)
doubled = Doubled()
doubled.append(2)
doubled.append(host)
e, f, g = doubled[0], len(doubled), [each for each in doubled]
recent = Recent(first=1)
recent.keep("second", 2)
h, i = list(recent), list(recent.values())
rows = Rows([1, 2])
list.append(rows, "x")
j, k, l = rows[2], rows[0], [each for each in rows]
plain = {"a": 1}
dict.update(plain, b=2)
dict.__setitem__(plain, "c", 3)
dict.__delitem__(plain, "a")
m, n, o = plain["b"], dict.__getitem__(plain, "c"), dict.get(plain, "d", 4)
p, q, r = list(plain), bool(plain), list(dict.values(plain))
items = []
list.append(items, 1)
s, t, u = "some" if items else "none", list.__len__(items), list(list.__iter__(items))
"""


def test_what_is_said_of_them_is_so() -> None:
    assert lies(HEAD + BODY) == []


def test_what_is_known_of_them() -> None:
    end = Ending(HEAD + BODY)
    wanted = {"a": "a", "b": 2.0, "c": 5, "d": 7, "e": 4, "j": "x", "k": 1, "m": 2, "n": 3, "o": 4}
    assert {name: end[name] for name in wanted} == {name: Const(value) for name, value in wanted.items()}


WAYS = [
    "options.update({'x': x})\nx = options['x']",
    "options.add('x', x)\nx = options.get('x')",
    "doubled = Doubled()\ndoubled.append(x)\nx = doubled[0]",
    "doubled = Doubled([x])\nx = next(iter(doubled))",
    "recent = Recent()\nrecent.keep('x', x)\nx = recent['x']",
    "plain = {}\ndict.update(plain, x=x)\nx = plain['x']",
    "items = []\nlist.extend(items, [x])\nx = items[0]",
    "x = dict.pop({'x': x}, 'x')",
    "x = Rows([x])[0]",
]


@pytest.mark.parametrize("way", WAYS)
def test_what_passes_through_stays_where_it_is(way: str) -> None:
    head = HEAD.replace("there = torch.ones(3), torch.ones(3)", "there = torch.ones(3), torch.ones(3).cuda()")
    head += "options = Options()\n"
    assert len(clashes(f"{head}x = host\n{way}\nthere * x\n")) == 1
    assert clashes(f"{head}x = there\n{way}\nthere * x\n") == []


def test_what_took_the_place_of_something_is_what_is_there() -> None:
    text = """
    import torch
    held = {"x": torch.ones(3)}
    dict.__setitem__(held, "x", held["x"].cuda())
    items = [torch.ones(3)]
    list.__setitem__(items, 0, items[0].cuda())
    torch.ones(3).cuda() + held["x"] + items[0]
    """
    assert clashes(text) == []
