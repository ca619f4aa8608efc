"""Batches with fields by name: a dataclass or a named tuple moves once, as another of its class."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts

PROGRAM = """
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader

{cls}

def collate(rows):
    xs, ys = zip(*rows)
    return Batch(torch.stack(xs), torch.stack(ys){more})


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
rows = [(torch.rand(3), torch.rand(1)) for _ in range(16)]
result = 0.0
for batch in DataLoader(rows, batch_size=4, collate_fn=collate):
{body}
"""
_FIELDS = "    x: torch.Tensor\n    y: torch.Tensor\n"
_BODY = "    loss = (net(batch.x) - batch.y).pow(2).mean()\n    result += loss.item()"
_TUPLE = "class Batch(NamedTuple):\n" + _FIELDS
_RECORD = "@dataclass\nclass Batch:\n" + _FIELDS
_FACTORY = 'from collections import namedtuple\nBatch = namedtuple("Batch", ["x", "y"])\n'


def _program(cls: str, *, more: str = "", body: str = _BODY) -> dict[str, str]:
    return {"main.py": PROGRAM.format(cls=cls, more=more, body=body)}


def _added(texts: dict[str, str]) -> list[str]:
    fixed, _ = fix_texts(texts)
    before = texts["main.py"].splitlines()
    return [line.strip() for line in fixed["main.py"].splitlines() if line not in before]


@pytest.mark.parametrize(
    ("cls", "more", "moved"),
    [
        (_TUPLE, "", "batch = type(batch)(*(t.to(device) for t in batch))"),
        (_FACTORY, "", "batch = type(batch)(*(t.to(device) for t in batch))"),
        (
            _TUPLE + "    size: int\n",
            ", len(rows)",
            'batch = type(batch)(*(t.to(device) if hasattr(t, "to") else t for t in batch))',
        ),
        (_RECORD, "", "batch = type(batch)(**{k: v.to(device) for k, v in vars(batch).items()})"),
        (
            _RECORD + "    size: int = 0\n",
            "",
            'batch = type(batch)(**{k: v.to(device) if hasattr(v, "to") else v for k, v in vars(batch).items()})',
        ),
    ],
)
def test_a_batch_moves_as_another_of_its_class(cls: str, more: str, moved: str) -> None:
    texts = _program(cls, more=more)
    assert _added(texts) == [moved]
    fixed, _ = fix_texts(texts)
    assert check_texts(fixed) == []
    namespace: dict[str, object] = {}
    exec(fixed["main.py"], namespace)
    assert isinstance(namespace["batch"], namespace["Batch"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cls",
    [
        "@dataclass(slots=True)\nclass Batch:\n" + _FIELDS,
        _RECORD + "\n    def __post_init__(self):\n        self.y = self.y * 2\n",
        _RECORD + "\n    def __post_init__(self):\n        self.size = len(self.x)\n",
        f"from functools import cached_property\n{_RECORD}\n    @cached_property\n    def size(self):\n        return len(self.x)\n",
        "class Batch:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n",
        _RECORD
        + "\n    def __setattr__(self, name, value):\n        object.__setattr__(self, name, value * 2)\n",
    ],
)
def test_what_cannot_be_made_anew_of_its_fields_moves_where_it_is_used(cls: str) -> None:
    """``vars`` of one with slots fails, or has what was computed once, ``__post_init__`` would run again, and a constructor or ``__setattr__`` may do anything."""
    assert _added(_program(cls)) == ["loss = (net(batch.x.to(device)) - batch.y.to(device)).pow(2).mean()"]


@pytest.mark.parametrize("cls", [_TUPLE, _RECORD])
def test_one_part_that_is_used_moves_by_itself(cls: str) -> None:
    body = "    result += net(batch.x).mean().item()"
    assert _added(_program(cls, body=body)) == ["result += net(batch.x.to(device)).mean().item()"]


@pytest.mark.parametrize("cls", [_TUPLE, _RECORD])
def test_a_part_moves_as_its_sibling_does(cls: str) -> None:
    body = "    loss = (net(batch.x.to(device)) - batch.y).pow(2).mean()\n    result += loss.item()"
    assert _added(_program(cls, body=body)) == [
        "loss = (net(batch.x.to(device)) - batch.y.to(device)).pow(2).mean()"
    ]


def test_a_batch_that_moves_already_is_left_alone() -> None:
    body = "    batch = type(batch)(*(t.to(device) for t in batch))\n" + _BODY
    texts = _program(_TUPLE, body=body)
    assert fix_texts(texts)[0] == texts
    assert check_texts(texts) == []


def test_a_batch_with_a_move_of_its_own_uses_it() -> None:
    own = "\n    def to(self, device):\n        return Batch(self.x.to(device), self.y.to(device))\n"
    assert _added(_program(_RECORD + own)) == ["batch = batch.to(device)"]


def test_what_has_no_constructor_that_takes_its_fields_moves_where_it_is_used() -> None:
    cls = _RECORD.replace("@dataclass", "@dataclass(init=False)")
    texts = _program(cls)
    made = "    made = Batch()\n    made.x, made.y = torch.stack(xs), torch.stack(ys)\n    return made\n"
    texts["main.py"] = texts["main.py"].replace("    return Batch(torch.stack(xs), torch.stack(ys))\n", made)
    assert _added(texts) == ["loss = (net(batch.x.to(device)) - batch.y.to(device)).pow(2).mean()"]


@pytest.mark.parametrize("cls", [_TUPLE, _RECORD])
def test_a_part_that_selects_from_something_else_stays(cls: str) -> None:
    """NumPy reads it, on the host."""
    body = "    loss = net(batch.x).mean()\n    result += names[batch.y.long().flatten()].sum()"
    texts = _program(cls, body=body)
    texts["main.py"] = texts["main.py"].replace(
        "result = 0.0", "import numpy as np\nnames = np.arange(9)\nresult = 0.0"
    )
    assert _added(texts) == ["loss = net(batch.x.to(device)).mean()"]


@pytest.mark.parametrize("cls", [_TUPLE, _RECORD])
def test_a_part_that_selects_from_another_moves_with_it(cls: str) -> None:
    body = "    loss = net(batch.x[batch.y.argsort(0).flatten()]).mean()\n    result += loss.item()"
    [moved] = _added(_program(cls, body=body))
    assert moved.startswith("batch = type(batch)(")
