"""What is made as something else is, and is handed on in its place, moves with it."""

from __future__ import annotations

import re

import pytest
from text_program import fix_texts

SCRIPT = """
import sys
import torch
from torch import nn
from store import latest

def rows(numbers, width):
    count = len(numbers) // width
    return torch.LongTensor(numbers[: count * width]).view(width, -1).t().contiguous()

use_gpu = torch.cuda.is_available()
train = rows([1, 2, 3, 4], 2)
val = rows([1, 2, 3, 4, 5, 6], 2)
test = rows([1, 2], 2)
net = nn.Embedding(9, 9)
if use_gpu:
    net = net.cuda()

def evaluate(data, width):
    return nn.functional.cross_entropy(net(data[:, 0]), data[:, 1]).item() / width

for epoch in range(2):
    nn.functional.cross_entropy(net(train[:, 0]), train[:, 1]).backward()
    evaluate(val, 2)
net = latest(sys.argv[1])
{end}
"""


def moved(end: str, **changes: str) -> list[str]:
    """What the lines move that a fix adds, in their order."""
    text = SCRIPT.format(end=end)
    for old, new in changes.items():
        assert f"{old} = " in text
        text = text.replace(f"\n{old} = rows(", f"\n{old} = {new}(")
    after = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    added = (line for line in after if line not in text.splitlines())
    return [name for line in added for name in re.findall(r"(\w+)\.cuda\(\)", line)]


def test_what_is_evaluated_with_a_model_nobody_knows_moves_as_what_was_evaluated_before() -> None:
    assert moved("print(evaluate(test, 1))") == ["train", "val", "test"]


@pytest.mark.parametrize(
    "end",
    [
        "print(evaluate(test, 1), test.numpy())",
        "print(sum(test))",
        "print(evaluate(2, test))",
        "test = sorted(test)\nprint(evaluate(test, 1))",
        "",
    ],
    ids=[
        "it is read on the host",
        "it goes elsewhere",
        "it is another argument",
        "it becomes another",
        "nothing",
    ],
)
def test_what_is_used_in_another_way_stays(end: str) -> None:
    assert moved(end) == ["train", "val"]


def test_what_another_function_made_stays() -> None:
    assert moved("print(evaluate(test, 1))", test="latest") == ["train", "val"]
