"""Writing to entries: what selects them by a list or an array wants the values where the tensor is, a slice takes them from anywhere."""

from __future__ import annotations

import pytest
from text_program import check_texts, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
order = np.random.permutation(6)
chosen = [0, 2, 4]
number = int(order[0])
made = model(torch.zeros(3, 4, device=device))
store = torch.zeros(6, 2{placed})
{write}
"""


def found(write: str, placed: str = "") -> list[str]:
    """The rules of what is found."""
    return [each.rule for each in check_texts(files(PROGRAM.format(write=write, placed=placed)))]


WRITES = [
    "store[order[:3]] = made",
    "store[order[:3], :] = made",
    "store[chosen] = made",
    "store[[0, 2, 4]] = made",
    "store.T[:, chosen] = made.T",
    "store[[int(part) for part in input().split()]] = made",
    "for begin in range(0, 6, 3):\n    part = order[begin:begin + 3]\n    store[part] = made",
]


@pytest.mark.parametrize("write", WRITES)
def test_values_of_the_accelerator_do_not_come_to_entries_of_a_tensor_on_the_cpu(write: str) -> None:
    assert found(write) == ["operand-not-moved"]
    assert found(write, ", device=device") == []


@pytest.mark.parametrize("write", [f"{write.replace('made', 'made.cpu()')}" for write in WRITES])
def test_values_of_the_cpu_do(write: str) -> None:
    assert found(write) == []


@pytest.mark.parametrize(
    "write",
    [
        "store[:3] = made",
        "store[0] = made[0]",
        "store[number] = made[0]",
        "store[order[0]] = made[0]",
        "store[chosen] = made.sum()",
        "store[chosen] = 1.0",
        "store[...] = made[:1]",
        "store[None, :3] = made",
        "store[chosen[0]] = made[0]",
        "at = tuple(chosen[:1])\nstore[at] = made[0]",
        "at = tuple(int(part) for part in input().split())\nstore[at] = made[0]",
        "at = np.unravel_index(number, (6,))\nstore[at] = made[0]",
        "for each in order:\n    store[each] = made[0]",
        "for each in chosen:\n    store[each] = made[0]",
    ],
)
def test_a_slice_a_row_and_a_number_are_copied_across_devices(write: str) -> None:
    assert found(write) == []


def test_the_tensor_is_made_where_the_values_are() -> None:
    after, _ = fix_texts(files(PROGRAM.format(write=WRITES[0], placed="")), Applicability.UNSAFE)
    assert "store = torch.zeros(6, 2, device=device)" in after["main.py"]
