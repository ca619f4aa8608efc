"""What goes through less usual parts of Python and its library: nothing false is said of it, and where it is stays known."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """import asyncio
import dataclasses
import functools
import itertools
import operator
import queue
import torch
import torch.nn as nn
import types
import weakref
from collections import ChainMap, OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from enum import Enum
from multiprocessing.pool import ThreadPool
from typing import NewType

async def given(value):
    return value

"""
#: Each block makes ``result`` of ``x``.
WAYS = """
async def passed():
    task = asyncio.create_task(given(x))
    return await task
result = asyncio.run(passed())

async def passed():
    tasks = [asyncio.ensure_future(given(x)) for _ in range(2)]
    first, second = await asyncio.gather(*tasks)
    return tasks[0].result() + second
result = asyncio.run(passed())

async def passed():
    waiting = asyncio.Queue()
    await waiting.put(x)
    return await asyncio.wait_for(waiting.get(), 60)
result = asyncio.run(passed())

async def passed():
    return await asyncio.to_thread(torch.relu, x)
result = asyncio.run(passed())

async def passed():
    return await asyncio.get_running_loop().run_in_executor(None, torch.relu, x)
result = asyncio.run(passed())

class Lent:
    def __init__(self, value):
        self.value = value
    async def __aenter__(self):
        return self.value
    async def __aexit__(self, *error):
        return False
async def passed():
    async with Lent(x) as held:
        return held
result = asyncio.run(passed())

loop = asyncio.new_event_loop()
result = loop.run_until_complete(given(x))
loop.close()

with ThreadPool(1) as pool:
    result = pool.map(torch.relu, [x, x])[1]

with ThreadPool(1) as pool:
    result = pool.starmap(torch.add, [(x, 1)])[0]

with ThreadPool(1) as pool:
    result = pool.apply_async(torch.sum, (x,), {"dim": 0}).get()

with ThreadPool(1) as pool:
    result = next(pool.imap_unordered(torch.relu, [x]))

found = []
with ThreadPoolExecutor(1) as pool:
    pool.submit(torch.relu, x).add_done_callback(lambda done: found.append(done.result()))
result = found[0]

waiting = queue.Queue()
waiting.put(x)
waiting.put(None)
result = list(iter(waiting.get, None))[0]

result = [*itertools.chain([1, x], (x.long(),))][1]

result = list(itertools.chain.from_iterable({"a": [None], "b": [x]}.values()))[1]

parts = OrderedDict(a=x, b=None)
parts.move_to_end("a")
result = next(reversed(parts.values()))

parts = OrderedDict(a=None, b=x)
parts.move_to_end("b", last=False)
result = list(parts.values())[0]

result = ChainMap({"a": None}).new_child({"a": x})["a"]

result = sum([[None], [x]], [])[1]

result = functools.reduce(operator.getitem, ["a", 1], {"a": [None, x]})

result = functools.reduce(operator.iadd, [x.clone(), x])

result = operator.pow(x, 2)

model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Linear(3, 3).to(x.device)))
result = functools.reduce(getattr, "1.0.weight".split("."), model)

class Reader:
    @functools.singledispatchmethod
    def read(self, key):
        raise TypeError(key)
    @read.register
    def _(self, key: int):
        return None
    @read.register
    def _(self, key: str):
        return x
result = Reader().read("a")

class Plain:
    pass
table = {Plain: lambda value: None, dict: lambda value: value["a"]}
table[list] = lambda value: value[0]
found = {"a": x}
result = table[type(found)](found)

class Plain:
    pass
table = {}
def reads(kind):
    def register(function):
        table[kind] = function
        return function
    return register
@reads(Plain)
def read_plain(value):
    return value.held
@reads(list)
def read_list(value):
    return value[0]
plain = Plain()
plain.held = x
result = table.get(type(plain), read_list)(plain)

class Kept:
    known = weakref.WeakSet()
    def __init__(self, value):
        self.value = value
        Kept.known.add(self)
kept = Kept(x)
result = next(iter(Kept.known)).value

class Sized:
    size = 1
    def __class_getitem__(cls, size):
        return type(cls.__name__, (cls,), {"size": size})
    def __init__(self, value):
        self.value = value
result = Sized[4](x).value * Sized[4].size

parts = OrderedDict(a=x, b=None)
parts.move_to_end("a")
result = parts.popitem()[1]

parts = OrderedDict(a=x, b=None)
result = parts.popitem(last=False)[1]

parts = {"a": None, "b": x, "c": None}
parts.popitem()
name, value = parts.popitem()
result = parts | {name: value}
result = result["b"]

parts = {"a": None}
operator.setitem(parts, "a", x)
result = parts["a"]

rows = [None, None]
operator.setitem(rows, 1, x)
result = rows[1]

result = x.clone()
operator.setitem(result, 0, 2.0)

Pair = dataclasses.make_dataclass("Pair", ["first", "second"])
result = Pair(None, second=x).second

Pair = dataclasses.make_dataclass("Pair", [("first", int), ("second", object, dataclasses.field(default=None))])
result = [Pair(1, x).second, Pair(1).second][0]

class Base:
    scale = 2
Scaled = dataclasses.make_dataclass("Scaled", (("held", object),), bases=(Base,), namespace={"made": lambda self: self.held * self.scale})
result = Scaled(x).made()

held = types.ModuleType("held")
held.value = x
result = held.value

class Precision(Enum):
    SINGLE = torch.float32
    DOUBLE = torch.float64
result = x.to(Precision.DOUBLE.value).to(dtype=Precision["SINGLE"].value)

class Place(Enum):
    FIRST = (x, 1)
    OTHER = (None, 2)
    def __init__(self, value_held, rank):
        self.held = value_held
        self.rank = rank
result = Place.FIRST.held * Place.FIRST.rank

class Backwards:
    def __reversed__(self):
        yield x
result = list(reversed(Backwards()))[0]

rows = [None, None, None]
rows[1:3] = [x, x]
result = rows[2]

rows = [None, x]
rows[:1] = [None, None]
result = rows[2]

rows = [None, x]
result = rows[divmod(5, 2)[1]]

Rank = NewType("Rank", int)
rows = [None, x]
result = rows[Rank(1)]

rows = {"a:1": x}
result = rows["{name}:{rank}".format_map({"name": "a", "rank": 1})]

async def passed():
    results = await asyncio.gather(*(given(x * number) for number in range(40)))
    return results[7]
result = asyncio.run(passed())

async def passed():
    tasks = [asyncio.create_task(given(x)) for _ in range(3)]
    for task in asyncio.as_completed(tasks):
        last = await task
    return last
result = asyncio.run(passed())
""".strip().split("\n\n")


def _program(way: str, place: str) -> str:
    return f'{HEAD}x = torch.rand(3, 3, device="{place}")\n{way}\n'


@pytest.mark.parametrize("way", WAYS)
def test_nothing_false_is_said(way: str) -> None:
    assert not lies(_program(way, "cpu"))


@pytest.mark.parametrize("way", WAYS)
def test_what_is_on_the_host_meets_the_accelerator(way: str) -> None:
    met = _program(way, "cpu") + 'print(torch.ones(1, device="cuda") + result)\n'
    assert clashes(met) == [f"{met.count(chr(10))}: device"]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_on_the_accelerator_is_there(way: str) -> None:
    assert not clashes(_program(way, "cuda") + 'print(torch.ones(1, device="cuda") + result)\n')


OWN = """
import sys
import torch

def build(size):
    return torch.ones(size)

def chosen(name):
    return getattr(sys.modules[__name__], name)
"""


def test_a_file_that_is_imported_is_found_among_the_modules() -> None:
    text = 'import parts\nimport torch\nprint(parts.chosen("build")(3) + torch.ones(3, device="cuda"))\n'
    assert clashes(text, parts=OWN) == ["3: device"]
    assert not clashes(text.replace('"build"', '"missing"'), parts=OWN)


@pytest.mark.parametrize(
    "change",
    [
        "table[dict] = moved",
        "table.update({dict: moved})",
        "table.clear()\ntable[dict] = moved",
    ],
)
def test_a_table_of_classes_that_was_changed_leads_elsewhere(change: str) -> None:
    text = f"""
import torch
table = {{list: lambda value: value[0], dict: lambda value: value["a"]}}
found = {{"a": torch.ones(3)}}
moved = lambda value: value["a"].cuda()
{change}
print(torch.ones(3, device="cuda") + table[type(found)](found))
"""
    assert not clashes(text)
    assert len(clashes(text.replace(change, ""))) == 1


def test_of_a_table_of_functions_any_may_be_chosen() -> None:
    text = """
import torch
import torch.nn.functional as F

SLOPES = {torch.tanh: lambda x: 1 - torch.tanh(x) ** 2, F.relu: lambda x: x * (x > 0).type(torch.FloatTensor)}

class Flow(torch.nn.Module):
    def __init__(self, function=torch.tanh):
        super().__init__()
        self.function = function
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return SLOPES[self.function](x * self.weight)

print(Flow().cuda()(torch.ones(3, device="cuda")))
"""
    assert clashes(text) == ["5: device"]


def test_a_number_that_no_part_has_stands_for_nothing() -> None:
    text = """
import torch
import torch.nn as nn
model = nn.Sequential(nn.Linear(3, 3))
print(torch.ones(1, device="cuda") + getattr(model, "7", model).weight)
"""
    assert not clashes(text)
