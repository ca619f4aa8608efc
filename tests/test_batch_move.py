"""Moves where several values get their names at once."""

from __future__ import annotations

from text_program import fix_texts

HEAD = """
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
x, y = np.ones((4, 3), dtype=np.float32), np.ones((4, 1)).astype(np.float32)
"""


def fixed(body: str) -> list[str]:
    """The lines after the head once they are fixed."""
    return fix_texts({"main.py": HEAD + body})[0]["main.py"].removeprefix(HEAD).splitlines()


def test_names_of_a_generator_are_unknown_outside_of_it() -> None:
    body = "x, y = (torch.from_numpy(a) for a in (x, y))\nprint(net(x) - y, net(x) > (y > 0))\n"
    assert fixed(body)[:2] == [body.splitlines()[0], "x, y = x.to(device), y.to(device)"]


def test_names_of_a_generator_that_is_looped_over() -> None:
    body = "for part in (torch.from_numpy(a) for a in (x, x)):\n    print(net(part))\n"
    assert fixed(body)[1] == "    part = part.to(device)"


def test_an_array_is_not_moved() -> None:
    body = "t = torch.from_numpy(y)\nprint(net(torch.ones(4, 3, device=device)) * (t > 0))\n"
    assert ".to(device)" not in body
    assert [line for line in fixed(body) if ".to(device)" in line] == ["t = torch.from_numpy(y).to(device)"]
