"""Entries that a dict has at times only, and cached attributes that are dropped at times."""

from __future__ import annotations

import pytest
from text_program import clashes

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
