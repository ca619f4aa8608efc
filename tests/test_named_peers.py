"""Tensors that a script makes on the CPU go where what they meet is computed from, once, where they are made."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

SCRIPT = """
import torch

mean, deviation = (0.5, 0.4), (0.2, 0.3)
{before}
std = torch.tensor(deviation).view(2, 1)
{after}
upper = (1 - mu) / std
lower = (0 - mu) / std
"""
MOVED = "mu = torch.tensor(mean).view(2, 1).cuda()"


def test_what_two_lines_need_on_the_device_is_made_there() -> None:
    """What is made like its neighbour moves as that does, anything else to where its neighbour is."""
    before = SCRIPT.format(before=MOVED, after="")
    alike = "torch.tensor(deviation).view(2, 1).cuda()"
    fixed = fix_texts({"main.py": before})[0]["main.py"]
    assert fixed == before.replace("torch.tensor(deviation).view(2, 1)", alike)
    before = before.replace("std = torch.tensor(deviation)", "std = torch.tensor(deviation)[:]")
    made = "torch.tensor(deviation, device=mu.device)"
    assert fix_texts({"main.py": before})[0]["main.py"] == before.replace("torch.tensor(deviation)", made)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", MOVED),
        ("mu = torch.tensor(mean)", MOVED),
        ("if mean:\n    " + MOVED, MOVED.replace("mean", "deviation")),
    ],
)
def test_a_name_that_is_not_there_yet_for_certain_is_of_no_use(before: str, after: str) -> None:
    text = SCRIPT.format(before=before, after=after)
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert "mu" not in fixed.partition("std = ")[2].partition("\n")[0]
    assert clashes(fixed) == []


def test_neither_is_one_of_another_function() -> None:
    text = """
import torch

std = torch.tensor((0.2, 0.3))


def scaled(mu):
    return (1 - mu) / std


print(scaled(torch.ones(2).cuda()))
"""
    assert "(1 - mu) / std.to(mu.device)" in fix_texts({"main.py": text})[0]["main.py"]
