"""What some rounds of a loop make on the CPU and others do not, by what the loop counts: those that do fail."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 4).to(device)
x = torch.randn(8, 4, device=device)
h = torch.zeros(8, 4)
for step in range(100, 0, -1):
{rounds}
"""


def rounds(text: str) -> str:
    return PROGRAM.format(rounds="\n".join(f"    {line}" for line in text.splitlines()))


@pytest.mark.parametrize(
    "text",
    [
        "z = torch.randn(8, 4) if step > 1 else 0\nx = model(x) + z",
        "z = 0.0 if step == 1 else torch.randn(8, 4)\nx = z * model(x)",
        "x = model(x) + (torch.randn(8, 4) if step > 1 else 0)",
        "z = torch.randn(8, 4) if step % 2 == 0 else torch.zeros_like(x)\nx = model(x) + z",
        "if step > 1:\n    z = torch.randn(8, 4)\nelse:\n    z = 0\nx = model(x) + z",
        "if step > 1:\n    z = torch.randn(8, 4)\nelse:\n    z = torch.zeros_like(x)\nx = model(x) + z",
    ],
)
def test_the_rounds_that_make_a_tensor_fail(text: str) -> None:
    assert {each.split(": ")[1] for each in clashes(rounds(text))} == {"device"}
    after = fix_texts(files(rounds(text)))[0]["main.py"]
    assert "torch.randn(8, 4).to(device)" in after
    assert not clashes(after)


@pytest.mark.parametrize(
    "text",
    [
        "z = torch.randn(8, 4, device=device) if step > 1 else 0\nx = model(x) + z",
        "z = torch.randn(8, 4) if step > 1 else 0\nprint(h + z)",
        "z = torch.tensor(0.5) if step > 1 else 0\nx = model(x) * z",
        "z = torch.randn(8, 4) if step > 1 else 0\nx = model(x) + (z.to(device) if step > 1 else z)",
        "z = torch.randn(8, 4) if step > 1 else 0\nif step > 1:\n    z = z.to(device)\nx = model(x) + z",
        "z = torch.randn(8, 4) if step > 1 else 0\nif step <= 1:\n    x = model(x) + z\nelse:\n    x = model(x)",
        "z = torch.randn(8, 4) if step > 1 else 0\nif torch.is_tensor(z):\n    z = z.to(device)\nx = model(x) + z",
        "if step > 1:\n    z = torch.randn(8, 4)\nelse:\n    z = torch.zeros_like(x)\nif step > 1:\n    z = z.to(device)\nx = x + z",
        "if step > 1:\n    z = torch.randn(8, 4)\n    d = 'cpu'\nelse:\n    z = torch.zeros_like(x)\n    d = ''\nif d:\n    z = z.to(device)\nx = x + z",
    ],
)
def test_what_is_right_in_all_rounds_is_left_alone(text: str) -> None:
    assert not clashes(rounds(text))


@pytest.mark.parametrize(
    "text",
    [
        "h = h.to(device) if step == 100 else h.clone()\nx = model(x) + h",
        "if step == 100:\n    h = h.to(device)\nelse:\n    h = h * 2\nx = model(x) + h",
        "if step > 1:\n    h = h * 2\nelse:\n    h = 0\nx = model(x) + h\nh = x.detach()",
    ],
)
def test_what_another_round_left_is_no_longer_where_it_was_made(text: str) -> None:
    assert not clashes(rounds(text))
