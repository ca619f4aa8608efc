"""Declared fields: what ``dataclasses.field`` says of a field beside its default, wherever it is called."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import UNKNOWN, Const, External

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


_TYPED = """{future}
import torch
from dataclasses import dataclass, field, fields

class Rate(float):
    pass

@dataclass
class Options:
    precision: str = "float32"
    width: int = 2
    rate: Rate = Rate(0.1)
    bias: "bool" = True
    sizes: list[int] = field(default_factory=list)

    def take(self, told):
        kinds = {{each.name: each.type for each in fields(self)}}
        for item in told:
            name, text = item.split("=")
            cast = kinds[name] if callable(kinds[name]) else {{"str": str, "int": int}}[kinds[name]]
            setattr(self, name, cast(text))
        return self

kinds = {{each.name: each.type for each in fields(Options)}}
precision, width, rate, bias, sizes = kinds.values()
told = [callable(each) for each in (precision, width, rate, bias)]
called = [callable(each) for each in (None, 3, "len", torch.ones(2), len, str, Options, torch.float32, [].append)]
options = Options().take(["precision=bfloat16", "width=3"])
"""


@pytest.mark.parametrize("future", ["", "from __future__ import annotations"])
def test_the_type_of_a_field_is_what_it_is_annotated_with(future: str) -> None:
    text = _TYPED.format(future=future)
    assert not lies(text)
    end = Ending(text)
    names = ("str", "int", "Rate", "'bool'")
    if future:
        assert tuple(end[name] for name in ("precision", "width", "rate", "bias")) == tuple(map(Const, names))
    else:
        assert (end["precision"], end["width"], end["bias"]) == (
            External("builtins.str"),
            External("builtins.int"),
            Const("bool"),
        )
    assert (end["sizes"], end.object("options").attrs["precision"]) == (UNKNOWN, Const("bfloat16"))


_SET = """
net = torch.nn.Linear({width}, 1).to({{"float32": torch.float32, "bfloat16": torch.bfloat16}}[options.precision])
net(torch.ones(3{dtype}))
"""


@pytest.mark.parametrize(
    ("first", "later", "kind"),
    [
        ("from __future__ import annotations", "annotations = []", Const("int")),
        ("from __future__ import annotations as _", "", Const("int")),
        ("from __future__ import generator_stop", "annotations = []", External("builtins.int")),
    ],
)
def test_annotations_are_texts_whatever_name_that_has(first: str, later: str, kind: object) -> None:
    text = f"""{first}
from dataclasses import dataclass, fields
{later}

@dataclass
class Options:
    width: int = 2

kind = fields(Options)[0].type
"""
    assert Ending(text)["kind"] == kind


@pytest.mark.parametrize("future", ["", "from __future__ import annotations"])
def test_options_are_of_the_types_that_a_program_takes_for_them(future: str) -> None:
    text = _TYPED.format(future=future)
    fails, same = (
        _SET.format(width="options.width", dtype=""),
        _SET.format(width=3, dtype=", dtype=torch.bfloat16"),
    )
    assert [each.partition(": ")[2] for each in clashes(text + fails)] == ["dtype"]
    assert clashes(text + same) == []
    assert clashes(text.replace("=bfloat16", "=float32") + fails) == []
