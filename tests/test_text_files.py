"""Files that are read as text hold strings, and what is made of them is no tensor."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import torch
weight = torch.ones(2, dtype=torch.float64).cuda()
layer = torch.nn.Linear(2, 2).cuda()
with open("run.conf"{mode}) as file:
    {read}
layer(weight * ({number}))
"""


@pytest.mark.parametrize(
    ("read", "number"),
    [
        ("text = file.read()", 'text == "yes"'),
        ("text = file.readline().strip()", "len(text) + 1"),
        ("for text in file: pass", 'text.rstrip() == "yes"'),
        ("name, text = next(iter(file)).split('=', 1)", 'text == "yes"'),
        ("name, text = (part.strip() for part in file.read().split('='))", 'text == "yes"'),
        ("texts = [line for line in file.readlines()]", 'texts[0] == "yes"'),
    ],
)
def test_what_is_compared_with_a_string_is_a_number_beside_a_tensor(read: str, number: str) -> None:
    assert clashes(HEAD.format(mode="", read=read, number=number)) == ["7: dtype"]
    assert clashes(HEAD.format(mode=', "rt"', read=read, number=number)) == ["7: dtype"]


@pytest.mark.parametrize("mode", [', "rb"', ", mode=chosen()"])
def test_bytes_may_be_anything(mode: str) -> None:
    assert clashes(HEAD.format(mode=mode, read="text = file.read()", number='text == "yes"')) == []
