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


@pytest.mark.parametrize(
    ("of_dict", "of_list"),
    [
        ("dict.__setitem__(held,", "list.__setitem__(items,"),
        ("held.__setitem__(", "items.__setitem__("),
        ("operator.setitem(held,", "operator.setitem(items,"),
    ],
)
def test_what_took_the_place_of_something_is_what_is_there(of_dict: str, of_list: str) -> None:
    text = f"""
    import operator
    import torch
    held = {{"x": torch.ones(3)}}
    {of_dict} "x", held["x"].cuda())
    items = [torch.ones(3)]
    {of_list} 0, items[0].cuda())
    torch.ones(3).cuda() + held["x"] + items[0]
    """
    assert clashes(text) == []


OWN = """
import collections
import copy
import torch
from dataclasses import dataclass, fields

class Lower(dict):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.rounds = 1

    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __setitem__(self, name, value):
        super().__setitem__(name.lower(), value)

class Config(dict):
    def __init__(self, given=None, **more):
        for name, value in {**(given or {}), **more}.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if isinstance(value, dict) and not isinstance(value, Config):
            value = Config(value)
        super().__setattr__(name, value)
        super().__setitem__(name, value)

    __setitem__ = __setattr__

class Plain(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__

    def __getitem__(self, name):
        return super().get(name)

class Output(collections.OrderedDict):
    def __post_init__(self):
        for field in fields(self):
            if getattr(self, field.name) is not None:
                self[field.name] = getattr(self, field.name)

    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else self.to_tuple()[key]

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)

    def to_tuple(self):
        return tuple(self[key] for key in self.keys())

@dataclass
class Pair(Output):
    first: object = None
    second: object = None

class Renamed(dict):
    def __setitem__(self, name, value):
        super().__setitem__(name + "!", value)

    def __iter__(self):
        return iter(["own"])

    def keys(self):
        return ["own"]

    def __getitem__(self, name):
        return name + "?"

def spread(**more):
    return sorted(more)
"""
OWN_BODY = """
low = Lower(first=1)
low["SECOND"] = 2
a, b, c, d = low["Second"], low["first"], low.get("second"), low.rounds
e, f, g, h = dict(low), {**low}, spread(**low), [key for key in low]
i, j = list(low.items()), list(low.values())
other = copy.copy(low)
other["second"] = 3
k, l = low["second"], other["second"]
low.rounds = 4
m, n = "rounds" in low, len(low)
config = Config({"model": {"size": 4}}, rate=0.5)
config.name = "a"
config["rate"] = 0.25
o, p, q, r = config.model.size, config["name"], config.rate, config["model"]["size"]
s = dict(config)
plain = Plain(size=1)
plain.size = 2
t, u, v = plain["size"], plain.size, plain["none"]
pair = Pair(second=2)
w, x, y = pair[0], pair["second"], pair.to_tuple()
renamed = Renamed()
renamed["a"] = 1
z = [renamed["a"], dict(renamed), spread(**renamed), list(renamed), list(renamed.items())]
kinds = [isinstance(each, kind) for each in (low, config, pair) for kind in (dict, list, collections.OrderedDict)]
empty = "some" if Lower() else "none"
"""


def test_what_is_said_of_dicts_that_get_their_entries_their_own_way_is_so() -> None:
    assert lies(OWN + OWN_BODY) == []


def test_what_is_known_of_dicts_that_get_their_entries_their_own_way() -> None:
    end = Ending(OWN + OWN_BODY)
    wanted = {"a": 2, "b": 1, "c": 2, "d": 1, "k": 2, "l": 3, "o": 4, "p": "a", "q": 0.25, "r": 4}
    wanted |= {"t": 2, "u": 2, "w": 2, "x": 2}
    assert {name: end[name] for name in wanted} == {name: Const(value) for name, value in wanted.items()}


OWN_WAYS = [
    "held = Lower()\nheld['X'] = x\nx = held['x']",
    "x = Lower(x=x).pop('x')",
    "held = Config({'model': {'weight': x}})\nx = held.model.weight",
    "held = Config()\nheld.weight = x\nx = held['weight']",
    "held = Config(weight=torch.ones(3))\nsetattr(held, 'weight', x)\nx = held['weight']",
    "held = Plain()\nheld.weight = x\nx = held.weight",
    "x = Pair(second=x)[0]",
    "held = Pair(first=torch.ones(3))\nheld['first'] = x\nx = held.first",
    "held = dict(Lower(x=x))\nx = held['x']",
    "def f(x):\n    return x\nx = f(**Lower(x=x))",
]


@pytest.mark.parametrize("way", OWN_WAYS)
def test_what_passes_through_such_dicts_stays_where_it_is(way: str) -> None:
    assert len(clashes(f"{OWN}x = torch.ones(3)\n{way}\ntorch.ones(3).cuda() * x\n")) == 1
    assert clashes(f"{OWN}x = torch.ones(3).cuda()\n{way}\ntorch.ones(3).cuda() * x\n") == []


OTHERS = """
import collections
import sys
import torch

class Log(collections.defaultdict):
    def __init__(self):
        super().__init__(list)

    def add(self, name, value):
        self[name].append(value)

class Lists(collections.defaultdict):
    pass

class Twice(collections.defaultdict):
    def __missing__(self, name):
        self[name] = name * 2
        return self[name]

class Rows(list):
    def __getitem__(self, key):
        if isinstance(key, str):
            return [row[key] for row in self]
        if isinstance(key, slice):
            return Rows(super().__getitem__(key))
        return super().__getitem__(key)

class Pairs(list):
    def __setitem__(self, key, value):
        super().__setitem__(key, (value, value))

def given(*args):
    return args
"""
OTHERS_BODY = """
log, lists, twice = Log(), Lists(list), Twice(None)
log.add("a", 1)
lists["x"].append("y")
a, b, c, d = log["a"][0], lists["x"][0], twice["q"], twice["q"]
rows = Rows([{"size": 1}])
rows.append({"size": 2})
e, f, g, h = rows["size"], rows[1]["size"], rows[:1], [row for row in rows]
pairs = Pairs([1, 2])
pairs[0] = 5
i, j, k, l = pairs[0], pairs[1], pairs[1:], len(pairs)
m, n = pairs
o, p = "some" if Pairs() else "none", [*pairs]
q, r, s = given(*pairs), isinstance(pairs, list), isinstance(pairs, dict)
names = ["a", "b", "a"]
t, u, v = names.index("b"), names.index("a"), ["a", len(sys.argv), "b"].index("b")
names.insert(0, "b")
w = names.index("a")
x, y, z = [True, 1, "b"].index(1), [2.0, 2].index(2), ["1", 0, 1.0].index(True)
"""


def test_what_is_said_of_lists_and_default_dicts_is_so() -> None:
    assert lies(OTHERS + OTHERS_BODY) == []


def test_what_is_known_of_lists_and_default_dicts() -> None:
    end = Ending(OTHERS + OTHERS_BODY)
    wanted = {"a": 1, "b": "y", "f": 2, "j": 2, "r": True, "s": False, "t": 1, "u": 0, "x": 0, "y": 0, "z": 2}
    assert {name: end[name] for name in wanted} == {name: Const(value) for name, value in wanted.items()}


@pytest.mark.parametrize(
    "way",
    [
        "log = Log()\nlog.add('x', x)\nx = log['x'][-1]",
        "x = Rows([{'weight': x}])['weight'][0]",
        "rows = Rows()\nrows.append({'weight': x})\nx = rows[:1][0]['weight']",
        "pairs = Pairs([1])\npairs[0] = x\nx = pairs[0][1]",
        "x = [1, x][['size', 'weight'].index('weight')]",
    ],
)
def test_what_passes_through_lists_stays_where_it_is(way: str) -> None:
    assert len(clashes(f"{OTHERS}x = torch.ones(3)\n{way}\ntorch.ones(3).cuda() * x\n")) == 1
    assert clashes(f"{OTHERS}x = torch.ones(3).cuda()\n{way}\ntorch.ones(3).cuda() * x\n") == []


SLICES = """
import sys

def given(count):
    for number in range(count):
        yield number

class Own(list):
    pass

a, b, c, d = [1, "x"], [1, 2, 3], Own(["x", 2]), [0] * 3
alias = a
a[:] = [2, 3, 4]
b[1:] = ["y"]
c[:] = (part for part in c)
d[:] = given(2)
e, f = [1, 2, 3, 4], ["x"]
e[::2] = ["u", "v"]
f[:] = given(len(sys.argv))
g, h = a[2], len(alias)
i = [1, 2]
i[slice(None)] = ["z"]
"""


def test_what_is_said_of_lists_whose_parts_are_assigned_is_so() -> None:
    assert lies(SLICES) == []


@pytest.mark.parametrize("made", ["[one, one]", "Rows([one, one])"])
def test_a_list_has_what_takes_the_place_of_all_of_it(made: str) -> None:
    moved = f"{OTHERS}one = torch.ones(3)\nheld = {made}\nheld[:] = [each{{}} for each in held]\n"
    used = "held.append(one.cuda())\nfor each in held:\n    print(each * torch.ones(3).cuda())\n"
    assert clashes(moved.format(".cuda()") + used) == []
    assert len(clashes(moved.format(".clone()") + used)) == 1
