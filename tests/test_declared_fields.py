"""Declared fields: what ``dataclasses.field`` says of a field beside its default, wherever it is called."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

FIELDS = """
import dataclasses
import torch
from dataclasses import dataclass, field, fields

def on_host(**told):
    return field(metadata={"host": True}, **told)

def listed():
    return field(default_factory=list)

HOST = {"host": True}

@dataclass
class Row:
    x: torch.Tensor
    size: int = 3
    slots: torch.Tensor = on_host(default=None)
    names: list = listed()
    ids: torch.Tensor = field(default=None, metadata=HOST)
    plain: int = field(default=7)

@dataclass
class Wide(Row):
    more: int = dataclasses.field(default=1, metadata={"host": False})

row, wide = Row(torch.ones(2)), Wide(torch.ones(2), ids=torch.ones(1))
kept = [each.name for each in fields(row) if each.metadata.get("host", False)]
others = [each.name for each in fields(Wide) if not each.metadata.get("host")]
plain, slots, names, ids = Row.plain, Row.slots, row.names, wide.ids
"""


def test_what_is_said_of_fields_is_known() -> None:
    assert not lies(FIELDS)
    end = Ending(FIELDS)
    assert end.object("kept").items == (Const("slots"), Const("ids"))
    assert end.object("others").items == tuple(map(Const, ("x", "size", "names", "plain", "more")))
    assert (end["plain"], end["slots"], end.object("names").items) == (Const(7), Const(None), ())


MOVED = """
import torch
from dataclasses import dataclass, field, fields, replace

def on_host(**told):
    return field(metadata={{"host": True}}, **told)

@dataclass(frozen=True)
class Rows:
    x: torch.Tensor
    weights: torch.Tensor = {weights}
    slots: torch.Tensor = on_host(default=None)

    def to(self, device):
        moved = {{}}
        for each in fields(self):
            value = getattr(self, each.name)
            if torch.is_tensor(value) and not each.metadata.get("host", False):
                moved[each.name] = value.to(device)
        return replace(self, **moved)

rows = Rows(torch.ones(4, 2), torch.ones(4), torch.arange(4)).to("cuda")
print((rows.x.mean(1) * rows.weights).sum(), rows.slots.numpy())
"""


@pytest.mark.parametrize(
    ("weights", "wrong"),
    [
        ("on_host(default=None)", True),
        ("field(default=None, metadata={'host': 1})", True),
        ("field(default=None, metadata={'host': False})", False),
        ("field(default=None)", False),
        ("None", False),
    ],
)
def test_what_is_declared_as_left_where_it_is_does_not_move(weights: str, wrong: bool) -> None:
    assert clashes(MOVED.format(weights=weights)) == (["23: device"] if wrong else [])


def test_of_fields_that_a_strange_function_declares_nothing_is_known() -> None:
    text = MOVED.format(weights="strange.kept(default=None)").replace(
        "import torch\n", "import torch, strange\n", 1
    )
    assert clashes(text) == []
