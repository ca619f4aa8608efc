"""A parameter that some calls give a tensor and others a number: it has no device and no method there."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

TABLE = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Table:
    def __init__(self, n):
        self.n, self.levels = n, torch.linspace(1.0, 0.1, n)
    def level(self, index):
        return self.levels[index]

table = Table(8)
index = torch.randint(0, 8, (4,), device=device)
"""
AFTER = """
print(table.level(index) / table.level({other}))
"""


@pytest.mark.parametrize("other", ["table.n - 1", "3", "len([1, 2])", "int(index[0])"])
def test_neither_the_number_nor_its_device_is_asked_for(other: str) -> None:
    after = fix_texts({"train.py": TABLE + AFTER.format(other=other)}, Applicability.UNSAFE)[0]["train.py"]
    assert "index.device" not in after
    assert "index.to(" not in after
    assert clashes(after) == []


def test_a_parameter_that_always_is_a_tensor_names_the_device() -> None:
    after = fix_texts({"train.py": TABLE + AFTER.format(other="index - 1")})[0]["train.py"]
    assert clashes(after) == []


def test_a_number_that_a_tensor_is_made_of_is_one_no_more() -> None:
    text = """
import torch

def scaled(x, by):
    by = torch.tensor(by)
    return x * by.expand(4)

print(scaled(torch.ones(4).to("cuda"), 2.0))
"""
    after = fix_texts({"train.py": text}, Applicability.UNSAFE)[0]["train.py"]
    assert clashes(after) == []


PACKED = """
import torch
from torch.nn.utils.rnn import pack_padded_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def packed(x, lengths):
    return pack_padded_sequence(x, lengths, enforce_sorted=False)

x = torch.ones(4, 2, 3, device=device)
packed(x, torch.tensor([4, 3], device=device))
"""


@pytest.mark.parametrize("other", ["[4, 3]", "(4, 3)", "[len(part) for part in ([1], [2])]"])
def test_a_list_of_numbers_has_no_copy_on_the_host(other: str) -> None:
    text = f"{PACKED}packed(x, {other})\n"
    after = fix_texts({"train.py": text}, Applicability.UNSAFE)[0]["train.py"]
    assert "lengths.cpu()" not in after


def test_lengths_that_always_are_a_tensor_are_copied_to_the_host() -> None:
    assert "lengths.cpu()" in fix_texts({"train.py": PACKED})[0]["train.py"]
