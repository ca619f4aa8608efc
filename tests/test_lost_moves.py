"""A loop that gives a moved copy to its own name for the entry of a dict, and nothing else: the entry gets the copy."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

HEAD = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
"""
ONE = """\
def moved(batch):
    for key, value in batch.items():
        {loop}
    {behind}
    return batch


out = moved({{"x": torch.ones(1, 2), "y": torch.zeros(1, 2), "id": 3}})
print(model(out["x"]) - out["y"])
"""
MANY = """\
def moved(records):
    for record in records:
        for name, held in record.items():
            if torch.is_tensor(held):
                held = held.cuda(non_blocking=True)
    return records


records = []
for i in range(9):
    records.append({"x": torch.rand(1, 2), "size": i})
for record in moved(records):
    model(record["x"]).sum().backward()
"""
_LOST = [
    "if isinstance(value, torch.Tensor):\n            value = value.to(device)",
    "if key != 'id':\n            value = value.cuda()",
]


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


@pytest.mark.parametrize("loop", _LOST)
def test_the_entry_gets_the_copy(loop: str) -> None:
    text = HEAD + ONE.format(loop=loop, behind="print(len(batch))")
    assert _fixed(text) == text.replace("value = value.", "batch[key] = value.")


def test_so_do_the_entries_of_each_of_several_dicts() -> None:
    assert _fixed(HEAD + MANY) == HEAD + MANY.replace("held = held.cuda", "record[name] = held.cuda")


@pytest.mark.parametrize(
    ("loop", "behind"),
    [
        (_LOST[0] + "\n            print(value.shape)", "print(len(batch))"),
        (_LOST[0] + "\n            batch[key] = value", "print(len(batch))"),
        (_LOST[0], "print(value)"),
        # The next round of an inner loop uses it.
        ("for _ in range(2):\n            value = value.to(device)", "print(len(batch))"),
    ],
)
def test_a_name_that_is_used_behind_it_keeps_the_copy(loop: str, behind: str) -> None:
    assert "value = value.to(device)" in _fixed(HEAD + ONE.format(loop=loop, behind=behind))


def test_a_copy_that_nobody_misses_is_left_alone() -> None:
    text = HEAD + ONE.format(loop=_LOST[0], behind="batch = {}")
    text = text.partition("print(model")[0]
    assert clashes(text) == []
    assert _fixed(text) == text
