"""Rarer ways from where a tensor is made to where it is used: what passes through them stays what it was."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

HEAD = """\
import concurrent.futures
import contextvars
import dataclasses
import functools
import itertools
import pickle
import threading
import types
import weakref
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import ClassVar

import torch

host, there = torch.rand(3), torch.rand(3).cuda()


@dataclasses.dataclass
class Parts:
    known: ClassVar[dict] = {}
    name: str
    cache: torch.Tensor = dataclasses.field(init=False, default=None)
    given: dataclasses.InitVar[torch.Tensor] = None
    plain: torch.Tensor = None

    def __post_init__(self, given):
        self.held = given


class Holder:
    def __init__(self, weight):
        self.parts = {"base": weight}

    def part(self, name, scale=1):
        return self.parts[name] * scale

    base = functools.partialmethod(part, "base")
    double = functools.partialmethod(part, scale=2)


def kept(value):
    local = threading.local()
    local.value = value
    return local.value


current = contextvars.ContextVar("current", default=there)


def in_context(value):
    current.set(value)
    return current.get()


def scale(x):
    return x * scale.factor


def of_function(value):
    scale.factor = value
    return scale.factor


class Table(dict):
    def __init__(self, value):
        super().__init__(there=there)
        self.value = value

    def __missing__(self, name):
        self[name] = self.value
        return self[name]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.body(x)


def of_made_class(value):
    made = type("Made", (), {"value": value})
    Net().cuda()(there)
    return made().value


def first_done(value):
    with ThreadPoolExecutor() as pool:
        todo = {pool.submit(lambda: value): index for index in range(3)}
        for future in as_completed(todo):
            return future.result()


def all_done(value):
    with ThreadPoolExecutor() as pool:
        done, _ = concurrent.futures.wait([pool.submit(lambda: value)])
    return [future.result() for future in done][0]


"""
WAYS = [
    "Parts('a', x).held",
    "Parts('a', there, x).plain",
    "Parts('a', given=x, plain=there).held",
    "Holder(x).base()",
    "Holder(x).double('base')",
    "kept(x)",
    "first_done(x)",
    "all_done(x)",
    "list(itertools.accumulate([x, x]))[1]",
    "in_context(x)",
    "pickle.loads(pickle.dumps({'a': x}))['a']",
    "types.MappingProxyType({'a': x})['a']",
    "weakref.ref(Holder(x))().base()",
    "weakref.proxy(Holder(x)).base()",
    "weakref.WeakValueDictionary(a=Holder(x))['a'].base()",
    "of_function(x)",
    "Table(x)['other']",
    "of_made_class(x)",
    "list(itertools.accumulate([x, there]))[0]",
]


@pytest.mark.parametrize("way", WAYS)
def test_what_passes_through_stays_where_it_is(way: str) -> None:
    at = f"{HEAD.count(chr(10)) + 2}: device"
    assert at in clashes(f"{HEAD}x = host\nthere * {way}\n")


@pytest.mark.parametrize("way", ["Table(host)['there']", "current.get(host)"])
def test_what_is_there_is_what_comes_out(way: str) -> None:
    assert clashes(f"{HEAD}there * {way}\n") == []


@pytest.mark.parametrize("way", WAYS)
def test_what_agrees_is_no_clash(way: str) -> None:
    assert clashes(f"{HEAD}x = there\nthere * {way}\n") == []


KEYED = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3)).cuda()
held = {begun}
{filled}
for key, value in held.items():
    {used}
"""
KEYS = [
    ("{p: torch.zeros(p.shape) for p in net.parameters()}", "", "value.add_(key.grad)"),
    ("{}", "for p in net.parameters():\n    held[p] = torch.zeros(p.shape)", "value.add_(key.grad)"),
    ("{net[0]: torch.zeros(3, 3)}", "", "key.weight.data.mul_(value)"),
    ("dict()", "held[net[0]] = torch.zeros(3, 3)", "key.weight.data.mul_(value)"),
]


@pytest.mark.parametrize(("begun", "filled", "used"), KEYS)
def test_keys_of_a_dict_may_be_parameters_and_layers(begun: str, filled: str, used: str) -> None:
    program = KEYED.format(begun=begun, filled=filled, used=used)
    assert clashes(program) == [f"{program.count(chr(10))}: device"]
    assert (
        clashes(
            program.replace("torch.zeros(p.shape)", "torch.zeros_like(p)").replace("3, 3)", "3, 3).cuda()")
        )
        == []
    )


@pytest.mark.parametrize(
    "more",
    [
        "held[name()] = torch.zeros(3, 3)",
        "held.update(name())",
        "held = {**name(), net[0]: torch.zeros(3, 3)}",
    ],
)
def test_of_keys_of_which_some_are_unknown_nothing_is_known(more: str) -> None:
    program = KEYED.format(
        begun="{net[0]: torch.zeros(3, 3)}", filled=more, used="key.weight.data.mul_(value)"
    )
    assert clashes(f"from elsewhere import name\n{program}") == []


CHOSEN = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
features = torch.rand(3, 3, device=device)


def main():
    rows = features.mean(0).cpu().numpy()
    count, weight = 0, None
    while count < 2:
        count += 1
    else:
        weight = torch.from_numpy(rows)
    return features @ weight


main()
"""


def test_what_a_branch_makes_moves_there_where_the_name_may_stand_for_none() -> None:
    after = fix_texts(files(CHOSEN))[0]["main.py"]
    assert after == CHOSEN.replace("torch.from_numpy(rows)", "torch.from_numpy(rows).to(device)")


GROUPED = """\
import torch

features = torch.rand(3, 3).cuda()
groups = {{"low": {held}}}


def main():
    return features @ groups["low"]{item}


main()
"""


@pytest.mark.parametrize("item", ["[0]", "[i]"])
def test_an_item_of_a_list_in_a_dict_is_asked_for_its_device_not_the_list(item: str) -> None:
    text = GROUPED.format(held="[value for value in [features.std(0).cpu()]]", item=item)
    text = text.replace("def main():\n", "def main():\n    i = 0\n")
    after = fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"]
    assert '["low"].device' not in after
    assert clashes(after) == []


MEMBERS = """\
import enum

import torch


class Kind(enum.Enum):
    NEAR = torch.rand(3)
    BOTH = (torch.rand(3), torch.rand(3).cuda())
    PLACE = torch.device("cuda")


chosen = Kind.{name}
there = torch.rand(3).cuda()
there * {used}
"""


@pytest.mark.parametrize(
    ("name", "used", "fits"),
    [
        ("NEAR", "chosen.value", False),
        ("NEAR", "chosen.value.to(Kind.PLACE.value)", True),
        ("BOTH", "chosen.value[0]", False),
        ("BOTH", "chosen.value[1]", True),
        ("PLACE", "torch.rand(3, device=chosen.value)", True),
    ],
)
def test_members_of_an_enumeration_hold_tensors_and_devices(name: str, used: str, fits: bool) -> None:
    assert clashes(MEMBERS.format(name=name, used=used)) == ([] if fits else ["14: device"])


PUT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def forward(self, x):
        return self.body(x)


model = Net()
{before}
{put}
{after}
model(torch.rand(2, 3).cuda())
"""
PUTS = [
    'model._modules["body"] = nn.Linear(3, 3)',
    'model.body._modules["0"] = nn.Linear(3, 3)',
    "for name, child in list(model.named_children()):\n    model._modules[name] = nn.Sequential(child, nn.Linear(3, 3))",
]


@pytest.mark.parametrize("put", PUTS)
def test_what_is_put_among_the_submodules_is_a_part(put: str) -> None:
    assert clashes(PUT.format(before="model.cuda()", put=put, after="")) != []
    assert clashes(PUT.format(before="", put=put, after="model.cuda()")) == []
