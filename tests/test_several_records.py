"""What is asked of an object that is one of several of a dataclass, and where such were left on the host."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, check_texts, fix_texts

from devfix.analysis.domain.values import Const

RECORDS = """
import dataclasses
import random

import torch

@dataclasses.dataclass
class Sample:
    x: torch.Tensor
    size: int = 0

@dataclasses.dataclass
class Other:
    y: torch.Tensor

items = []
for number in range(3):
    items.append(Sample(torch.ones(2)))
{lines}
"""


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ("found = dataclasses.is_dataclass(random.choice(items))", True),
        ("found = [field.name for field in dataclasses.fields(random.choice(items))][1]", "size"),
        ("found = dataclasses.replace(random.choice(items), size=4).size", 4),
        ("found = sorted(dataclasses.asdict(random.choice(items)))[0]", "size"),
    ],
)
def test_what_each_of_them_answers_is_the_answer(lines: str, value: object) -> None:
    text = RECORDS.format(lines=lines)
    assert not lies(text)
    assert Ending(text)["found"] == Const(value)


@pytest.mark.parametrize(
    "lines",
    [
        "items.append(3)\nfound = dataclasses.is_dataclass(items[-1])",
        "items.append(None)\nfound = dataclasses.is_dataclass(items[-1])",
        "items.append(Other(torch.ones(2)))\nfound = [field.name for field in dataclasses.fields(items[-1])]",
        "items.append(torch.ones(2))\nfound = [dataclasses.is_dataclass(item) for item in items]",
    ],
)
def test_what_only_some_of_them_answer_is_not(lines: str) -> None:
    assert not lies(RECORDS.format(lines=lines))


MOVED = """
def send(data, device):
    if isinstance(data, dict):
        return {key: send(value, device) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(send(value, device) for value in data)
    if isinstance(data, torch.Tensor):
        return data.to(device)
    return data

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
one = torch.ones(2, device=device)
batch = send({"samples": items, "size": 2}, device)
for item in batch["samples"]:
    print((item.x + one).device.type)
"""


def test_a_mover_that_leaves_several_records_looks_into_them() -> None:
    before = {"main.py": RECORDS.format(lines=MOVED)}
    after, _ = fix_texts(before)
    branch = "    if dataclasses.is_dataclass(data):\n        parts = {field.name: send(getattr(data, field.name), device)"
    assert branch in after["main.py"]
    assert "(item.x + one)" in after["main.py"]
    assert not check_texts(after)
    exec(
        after["main.py"].replace('"cuda" if torch.cuda.is_available() else "cpu"', '"meta"'),
        {"__name__": "__main__"},
    )


@pytest.mark.parametrize("other", ["None", "Other(torch.ones(2))"])
def test_others_among_them_are_handed_on_or_looked_into(other: str) -> None:
    lines = f"items.append({other})\n" + MOVED.replace('"]:', '"][:3]:')
    after, _ = fix_texts({"main.py": RECORDS.format(lines=lines)})
    assert "    if dataclasses.is_dataclass(data):\n" in after["main.py"]
    assert "(item.x + one)" in after["main.py"]
    exec(
        after["main.py"].replace('"cuda" if torch.cuda.is_available() else "cpu"', '"meta"'),
        {"__name__": "__main__"},
    )
