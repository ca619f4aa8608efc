"""A tensor whose memory an array shares stays where one of the two is written to; it moves where it is used."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """\
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 1).to(device)
table = torch.zeros(2, 3{made})
{array}
for step in range(2):
    {write}
    print(net({use}), {read})
"""


def program(array: str, write: str, *, made: str = "", use: str = "table", read: str = "step") -> str:
    return PROGRAM.format(array=array, write=write, made=made, use=use, read=read)


@pytest.mark.parametrize(
    ("array", "write"),
    [
        ("rows = table.numpy()", "rows[step] = 1.0"),
        ("rows = table.detach().numpy()", "rows += 1.0"),
        ("rows = np.asarray(table)", "rows[step] += 1.0"),
    ],
)
def test_a_tensor_goes_on_to_see_what_is_written_to_its_array(array: str, write: str) -> None:
    text = program(array, write)
    assert fix_texts({"main.py": text})[0]["main.py"] == program(array, write, use="table.to(device)")


def test_an_array_goes_on_to_see_what_is_written_to_its_tensor() -> None:
    array, write = "rows = table.numpy()", "table[step] = 1.0"
    text = program(array, write, read="rows.sum()")
    after = program(array, write, use="table.to(device)", read="rows.sum()")
    assert fix_texts({"main.py": text})[0]["main.py"] == after


@pytest.mark.parametrize(
    ("array", "write"),
    [("rows = table.tolist()", "rows[step] = 1.0"), ("rows = np.zeros(2)", "rows[step] = 1.0")],
)
def test_a_tensor_that_no_array_sees_is_made_on_the_device(array: str, write: str) -> None:
    after = fix_texts({"main.py": program(array, write)})[0]["main.py"]
    assert after == program(array, write, made=", device=device")
