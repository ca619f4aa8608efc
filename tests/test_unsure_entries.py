"""Entries that a dict has at times only, and cached attributes that are dropped at times."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import DeviceValue

BATCH = """
import dataclasses
from typing import NamedTuple
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
HOST = set(open("host.txt").read().split())
@dataclasses.dataclass
class Record:
    ids: torch.Tensor
    lengths: torch.Tensor
class Tuple(NamedTuple):
    ids: torch.Tensor
    lengths: torch.Tensor
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def move(value):
{body}
batch = move({cls}(torch.ones(3, 2, 4), torch.tensor([3, 2])))
pack_padded_sequence(batch.ids, batch.lengths)
"""
SOME = "{n: getattr(value, n).to(device) for n in ('ids', 'lengths') if n not in HOST}"
FILLED = """
    changed = {}
    for n in ("ids", "lengths"):
        if n not in HOST:
            changed[n] = getattr(value, n).to(device)
"""


@pytest.mark.parametrize(
    ("cls", "body"),
    [
        ("Record", f"    return dataclasses.replace(value, **{SOME})"),
        ("Record", f"{FILLED}    return dataclasses.replace(value, **changed)"),
        ("Record", f"    return Record(**{{**vars(value), **{SOME}}})"),
        ("Record", f"    return Record(**(vars(value) | {SOME}))"),
        (
            "Record",
            f"    kept = dict(vars(value))\n    kept.update({SOME})\n    kept.update({{}})\n    return Record(**kept)",
        ),
        ("Tuple", f"    return value._replace(**{SOME})"),
        ("Tuple", f"{FILLED}    return value._replace(**changed)"),
        ("Tuple", f"    return Tuple(**{{**value._asdict(), **{SOME}}})"),
    ],
)
def test_a_field_that_is_moved_at_times_may_be_where_it_was(cls: str, body: str) -> None:
    """Nobody knows whether the test lets the lengths pass: nothing is said of them; without the test they moved."""
    text = BATCH.format(cls=cls, body=body)
    assert clashes(text) == []
    everything = text.replace("if n not in HOST:", "if True:").replace(" if n not in HOST", "")
    assert [clash.split(": ")[1] for clash in clashes(everything)] == ["host-only"]


TABLE = """
from functools import cached_property
import torch
from torch import nn
class Basis(nn.Module):
    def __init__(self):
        super().__init__()
        self.orders = nn.Parameter(torch.ones(8))
        self.gram.sum()
    @cached_property
    def gram(self):
        return torch.outer(self.orders, self.orders)
    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        {body}
        return self
    def forward(self, x):
        return x @ self.gram
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Basis()
model.to(device)
model(torch.ones(3, 8, device=device))
"""


@pytest.mark.parametrize(
    "body",
    [
        "for name in vars(type(self)): self.__dict__.pop(name, None)",
        "for name, a in vars(type(self)).items(): isinstance(a, cached_property) and self.__dict__.pop(name, None)",
        "[self.__dict__.pop(n, None) for n, a in type(self).__dict__.items() if isinstance(a, cached_property)]",
        "if 'gram' in self.__dict__: del self.gram",
        "if recurse is not None and 'gram' in open('stale.txt').read(): del self.gram",
    ],
)
def test_what_may_have_been_dropped_may_be_computed_anew(body: str) -> None:
    """Whether the cached value was kept nobody knows, so nothing is said of where it is."""
    assert clashes(TABLE.format(body=body)) == []


def test_what_is_not_dropped_stays_where_it_was() -> None:
    """A cached value that nothing drops is on the CPU still, and so is one beside which another is dropped."""
    assert [clash.split(": ")[1] for clash in clashes(TABLE.format(body="pass"))] == ["device"]
    other = TABLE.format(body="self.__dict__.pop('other', None)")
    assert [clash.split(": ")[1] for clash in clashes(other)] == ["device"]


SETTINGS = """
import argparse
import torch
from dataclasses import dataclass, field

def pick():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")

@dataclass
class Settings:
    width: int = 3
    device: torch.device = {default}

def build(width=3, device={plain}):
    return device

def build_named(*, width=3, device={plain}):
    return device

def told():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=3)
    parser.add_argument("--device", type=torch.device, default=None)
    given = vars(parser.parse_args([]))
    if given["device"] is None:
        {dropped}
    return given

device, built, named = Settings(**told()).device, build(**told()), build_named(**told())
"""


@pytest.mark.parametrize("dropped", ['given.pop("device")', 'del given["device"]'])
def test_where_an_option_was_dropped_the_default_is_the_device(dropped: str) -> None:
    end = Ending(SETTINGS.format(default="field(default_factory=pick)", plain="pick()", dropped=dropped))
    assert end["device"] == end["built"] == end["named"] == DeviceValue(ACCELERATOR)


def test_where_the_default_is_the_cpu_nothing_is_known() -> None:
    host = "torch.device('cpu')"
    text = SETTINGS.format(
        default=f"field(default_factory=lambda: {host})", plain=host, dropped='given.pop("device")'
    )
    end = Ending(text)
    assert not any(isinstance(end[name], DeviceValue) for name in ("device", "built", "named"))


NARROWED = """
import torch
given = {{"mask": {mask}, "rows": torch.ones(2)}}
if given["mask"] is {asked}:
    given["mask"] = torch.zeros(2)
mask = given["mask"]
"""


@pytest.mark.parametrize("mask", ["None", "torch.ones(2)"])
@pytest.mark.parametrize("asked", ["None", "not None"])
def test_a_test_of_an_entry_narrows_it(mask: str, asked: str) -> None:
    assert not lies(NARROWED.format(mask=mask, asked=asked))


MAYBE = """
import sys
import torch
given = {"mask": torch.ones(3) if len(sys.argv) > 1 else None}
if given["mask"] is not None:
    torch.ones(3, device="cuda") * given["mask"]
"""


def test_what_an_entry_is_where_it_is_not_none_meets_the_accelerator() -> None:
    assert clashes(MAYBE) == ["6: device"]
