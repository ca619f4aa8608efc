"""``map`` over a list that is written in the call: each item is an argument, and can be moved there."""

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 3).to(device)


def compared(anchor, other):
    table = anchor.numpy()
    a, b = map(net, {items})
    return (a - b).sum(), table


first = torch.rand(2, 3)
second = torch.rand(2, 3).to(device)
print(compared(first, second))
"""


@pytest.mark.parametrize("items", ["[anchor, other]", "(anchor, other)"])
def test_the_item_that_stayed_moves_where_it_is_written(items: str) -> None:
    text = PROGRAM.format(items=items)
    assert clashes(text) == ["11: device"]
    fixed, _ = fix_texts({"main.py": text})
    assert f"map(net, {items.replace('anchor', 'anchor.to(device)')})" in fixed["main.py"]


@pytest.mark.parametrize("items", ["[anchor, other]", "(anchor, other)", "[*(anchor, other)]"])
def test_items_that_were_moved(items: str) -> None:
    assert clashes(PROGRAM.format(items=items.replace("anchor", "anchor.to(device)"))) == []
