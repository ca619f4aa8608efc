"""Functions that move batches of any form: what they ask of a value is answered as Python answers it."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes, files, fix_texts

from devfix.analysis.domain.values import Const

HEAD = """
import collections
import dataclasses
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import NamedTuple
import torch
from torch.nn.utils.rnn import pack_padded_sequence
class Named(NamedTuple):
    x: torch.Tensor
    lengths: torch.Tensor
Tuple = collections.namedtuple("Tuple", "x lengths")
@dataclasses.dataclass
class Record:
    x: torch.Tensor
    lengths: torch.Tensor
class Slots:
    __slots__ = ("x",)
x, lengths = torch.ones(2, 3, 4), torch.tensor([3, 2])
"""
VALUES = (
    "Named(x, lengths)", "Tuple(x, lengths)", "Record(x, lengths)", '{"x": x}', "(x, lengths)", "[x]", "{1}", "x", "3",
    '"a"', "None", "Slots()", "torch.nn.Linear(2, 2)",
)  # fmt: skip
QUESTIONS = (
    'hasattr(v, "_fields")', 'hasattr(v, "_asdict")', 'hasattr(v, "to")', 'hasattr(v, "items")', 'hasattr(v, "__dict__")',
    'hasattr(v, "__len__")', 'hasattr(v, "__dataclass_fields__")', 'hasattr(v, "__iter__")', 'hasattr(v, "x")',
    'getattr(v, "_fields", None) is None', "isinstance(v, Mapping)", "isinstance(v, MutableMapping)",
    "isinstance(v, Sequence)", "isinstance(v, Iterable)", "type(v) is torch.Tensor", "type(v) in (list, tuple)",
    "type(v) == dict", "issubclass(type(v), tuple)", "issubclass(type(v), (list, dict))", "type(v) is not Record",
    "dataclasses.is_dataclass(v)", "dataclasses.is_dataclass(type(v))", "v.__class__ is Named",
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_what_is_known_of_a_value_is_what_python_says(value: str) -> None:
    named = {f"answer{number}": asked for number, asked in enumerate(QUESTIONS)}
    text = f"{HEAD}v = {value}\n" + "".join(f"{name} = {asked}\n" for name, asked in named.items())
    names: dict[str, object] = {"__name__": "main"}
    exec(text, names)
    end = Ending(text)
    found = {name: end[name] for name in named}
    wrong = {named[name] for name, a in found.items() if isinstance(a, Const) and a != Const(names[name])}
    assert not wrong


@pytest.mark.parametrize("value", VALUES[:8])
def test_what_movers_ask_first_is_known(value: str) -> None:
    end = Ending(
        f'{HEAD}v = {value}\na, b = hasattr(v, "_fields"), isinstance(v, Mapping)\nc = type(v) is torch.Tensor\n'
    )
    assert value == "{1}" or all(isinstance(end[name], Const) for name in "abc")


FORMS = {
    "Named(x, lengths)": ("b.x", "b.lengths"), "Tuple(x, lengths)": ("b.x", "b.lengths"),
    "Record(x, lengths)": ("b.x", "b.lengths"), '{"x": x, "lengths": lengths}': ('b["x"]', 'b["lengths"]'),
    "(x, lengths)": ("b[0]", "b[1]"),
}  # fmt: skip
MOVERS = (
    """
def send(v, device):
    if torch.is_tensor(v):
        return v.to(device)
    if isinstance(v, tuple) and hasattr(v, "_fields"):
        return type(v)(*(send(each, device) for each in v))
    if isinstance(v, (list, tuple)):
        return type(v)(send(each, device) for each in v)
    if isinstance(v, dict):
        return {key: send(each, device) for key, each in v.items()}
    if dataclasses.is_dataclass(v):
        return type(v)(**{f.name: send(getattr(v, f.name), device) for f in dataclasses.fields(v)})
    return v
""",
    """
def send(v, device):
    if hasattr(v, "to"):
        return v.to(device)
    elif getattr(v, "_fields", None) is not None:
        return v.__class__(*[send(each, device) for each in v])
    elif isinstance(v, Mapping):
        return type(v)((key, send(each, device)) for key, each in v.items())
    elif isinstance(v, (list, tuple)):
        return type(v)([send(each, device) for each in v])
    elif dataclasses.is_dataclass(v):
        return dataclasses.replace(v, **{key: send(each, device) for key, each in vars(v).items()})
    raise TypeError(type(v))
""",
    """
def send(v, device):
    if isinstance(v, tuple):
        moved = [send(each, device) for each in v]
        return v._make(moved) if hasattr(v, "_make") else tuple(moved)
    if isinstance(v, Mapping):
        return {key: send(each, device) for key, each in v.items()}
    if hasattr(v, "__dataclass_fields__"):
        return v.__class__(*(send(each, device) for each in dataclasses.astuple(v)))
    return v.to(device, non_blocking=True)
""",
    """
def send(v, device):
    kind = type(v)
    if kind is torch.Tensor:
        return v.to(device)
    if kind in (list, tuple):
        return kind(send(each, device) for each in v)
    if kind is dict:
        return {key: send(each, device) for key, each in v.items()}
    if issubclass(kind, tuple):
        return kind(**{key: send(each, device) for key, each in v._asdict().items()})
    return kind(**{key: send(each, device) for key, each in v.__dict__.items()})
""",
)


def _program(mover: str, made: str, move: str = "send(b, torch.device('cuda'))") -> str:
    x, lengths = FORMS[made]
    used = f"packed = pack_padded_sequence({x}, {lengths}, batch_first=True)\n"
    return f"{HEAD}{mover}b = {made}\nb = {move}\n{used}"


@pytest.mark.parametrize("made", FORMS)
@pytest.mark.parametrize("mover", MOVERS)
def test_lengths_that_a_mover_takes_along_are_copied_back(mover: str, made: str) -> None:
    text = _program(mover, made)
    assert [each.partition(": ")[2] for each in clashes(text)] == ["host-only"]
    fixed, _ = fix_texts(files(text))
    x, lengths = FORMS[made]
    assert f"pack_padded_sequence({x}, {lengths}.cpu(), batch_first=True)" in fixed["main.py"]


@pytest.mark.parametrize("made", FORMS)
@pytest.mark.parametrize("mover", MOVERS)
def test_what_stays_on_the_cpu_is_left_alone(mover: str, made: str) -> None:
    assert not clashes(_program(mover, made, "send(b, 'cpu')"))


def test_lengths_that_a_mover_leaves_out_are_left_alone() -> None:
    mover = """
def send(v, device):
    if hasattr(v, "_fields"):
        return v._replace(x=v.x.to(device))
    return v
"""
    assert not clashes(_program(mover, "Named(x, lengths)"))
    assert not clashes(_program(mover, "Tuple(x, lengths)"))
