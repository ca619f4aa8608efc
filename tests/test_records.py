"""Dataclasses, named tuples, getters, patterns, properties: a tensor that passes through them stays what it was."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """\
import collections
import contextlib
import dataclasses
import operator
import typing
from dataclasses import dataclass

import torch

host, there = torch.rand(3), torch.rand(3).cuda()
Pair = collections.namedtuple("Pair", "a b")
Typed = typing.NamedTuple("Typed", [("a", torch.Tensor), ("b", torch.Tensor)])


@dataclass
class Batch:
    a: torch.Tensor
    b: torch.Tensor

    def with_fields(self, device):
        return Batch(**{f.name: getattr(self, f.name).to(device) for f in dataclasses.fields(self)})

    def set_fields(self, device):
        for f in dataclasses.fields(self):
            setattr(self, f.name, getattr(self, f.name).to(device))
        return self


@dataclass
class Wide(Batch):
    scale: float = 1.0


class Doubled(Batch):
    def __init__(self, value):
        super().__init__(value * 2, b=value)


class Inheriting(Batch):
    extra: int = 3


def with_attributes(*entries, **more):
    found = Scaled()
    vars(found).update(*entries, **more)
    return found


class Scaled:
    @property
    def mean(self):
        return self._mean

    @mean.setter
    def mean(self, value):
        self._mean = value * 2


def scaled(value):
    found = Scaled()
    found.mean = value
    return found.mean


def either(message):
    match message:
        case {"kind": "first", "data": data}:
            return data
        case Batch(a=found) if found is not None:
            return found
        case [_, *rest]:
            return rest[0]
        case "none" | None:
            return there
        case _:
            raise ValueError(message)
"""
WAYS = [
    "dataclasses.replace(Batch(x, there), b=there).a",
    "dataclasses.replace(Batch(there, there), a=x).a",
    "dataclasses.asdict(Batch(there, x))['b']",
    "dataclasses.astuple(Batch(there, x))[1]",
    "Batch(host, host).with_fields(x.device).b",
    "Batch(host, host).set_fields(x.device).b",
    "Pair(there, x)._asdict()['b']",
    "Pair._make([there, x]).b",
    "Typed(there, b=x).b",
    "Typed(x, there)._replace(b=there).a",
    "Doubled(x).a",
    "Doubled(x).b",
    "Inheriting(there, x).b",
    "operator.itemgetter('a')({'a': x, 'b': there})",
    "operator.attrgetter('a')(Batch(x, there))",
    "operator.methodcaller('to', x.device)(host)",
    "dict.fromkeys(['a', 'b'], x)['b']",
    "collections.ChainMap({'a': x}, {'a': there, 'b': there})['a']",
    "scaled(x)",
    "with_attributes(a=there, b=x).b",
    "with_attributes({'a': x}, b=there).a",
    "with_attributes([('a', there), ('b', x)]).b",
    "either({'kind': 'first', 'data': x})",
    "either(Batch(x, there))",
    "either([there, x])",
    "Batch(*(getattr(Batch(there, x), name) for name in Batch.__dataclass_fields__)).b",
    "{name: getattr(Batch(there, x), name) for name in Batch(x, x).__dataclass_fields__}['b']",
    "{name: getattr(Wide(there, x), name) for name in Wide.__dataclass_fields__.keys()}['b']",
]


@pytest.mark.parametrize("way", WAYS)
def test_what_passes_through_stays_where_it_is(way: str) -> None:
    assert clashes(f"{HEAD}\nx = host\nthere * {way}\n") == [f"{HEAD.count(chr(10)) + 3}: device"]
    assert clashes(f"{HEAD}\nx = there\nhost * {way}\n") == [f"{HEAD.count(chr(10)) + 3}: device"]


@pytest.mark.parametrize("way", WAYS)
def test_what_agrees_is_no_clash(way: str) -> None:
    assert clashes(f"{HEAD}\nx = there\nthere * {way}\n") == []


def test_a_case_that_cannot_be_met_is_left_out() -> None:
    program = f"{HEAD}\nthere * either('none')\n"
    assert clashes(program) == []


def test_a_manager_that_hands_something_on() -> None:
    block = "with contextlib.nullcontext({}) as found:\n    there * found\n"
    assert clashes(HEAD + block.format("host")) == [f"{HEAD.count(chr(10)) + 2}: device"]
    assert clashes(HEAD + block.format("there")) == []


def test_an_optional_manager_leaves_the_device_alone() -> None:
    program = """\
    import contextlib, sys, torch
    context = torch.autocast("cuda") if "--amp" in sys.argv else contextlib.nullcontext()
    with context:
        x = torch.rand(3)
    x * torch.rand(3).cuda()
    """
    assert clashes(program) == ["5: device"]


def test_the_fields_that_a_class_has_by_their_names() -> None:
    program = """\
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Base:
        a: int
        b: float = 2.0

    names = [name for name in Base.__dataclass_fields__]
    values = {name: getattr(Base(1), name) for name in Base(1).__dataclass_fields__}
    first, second = names[0], values["b"]
    has = "a" in Base.__dataclass_fields__
    """
    assert lies(program) == []


def test_a_generated_constructor_is_the_nearest_one() -> None:
    program = """\
    from dataclasses import dataclass

    class Base:
        def __init__(self, *given):
            self.a = "base"

    @dataclass
    class Told(Base):
        a: int
        b: int = 2

    @dataclass(init=False)
    class Silent(Base):
        a: int = 0

    class Below(Told):
        def __init__(self):
            super().__init__(5, b=6)

    first, second, third = Told(1).a, Silent(7).a, Below()
    fourth, fifth = third.a, third.b
    """
    assert lies(program) == []


def test_a_class_of_another_library_comes_before_a_dataclass_that_stands_behind_it() -> None:
    text = """\
    from dataclasses import dataclass

    import torch
    from torch.utils.data import DataLoader, Dataset

    @dataclass
    class Settings:
        where: torch.Tensor = None

    class Rows(Dataset, Settings):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return self.where[i]

    class Loader(DataLoader, Settings):
        pass

    rows = Rows(torch.ones(3, 4, device="cuda"))
    there = rows.where * torch.ones(4, device="cuda")
    one = rows.where * torch.ones(4)
    for batch in Loader(Rows(torch.ones(3, 4))):
        other = batch * there
    """
    assert clashes(text) == ["22: device", "24: device"]
