"""What a method of a module fills item by item, and computes with, is made where the module's parameters are."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, size, order):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(size, size, order))
            self.order = order

        def powers(self, operator, x):
            {made}
            {filled}
            for k in range(1, self.order):
                {stepped}
            return out

        def forward(self, x, operator):
            {first}
            whole = torch.cat((torch.unsqueeze(same @ x, 2), self.powers(operator, x)), 2)
            return torch.einsum("nik,iok->no", whole, self.weight)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer(3, 2)
            self.begin = nn.Linear(3, 3)

        def forward(self, x, operator):
            return self.layer(self.begin(x), operator)
"""
MADE = "out = torch.empty(size=(*x.shape, self.order))"
FILLED, STEPPED = (
    "out[:, :, 0] = torch.mm(operator, x)",
    "out[:, :, k] = torch.mm(operator, out[:, :, k - 1])",
)
FIRST = "same = torch.eye(x.shape[0])"


def _added(first: str = FIRST, stepped: str = STEPPED) -> list[str]:
    text = PROGRAM.format(made=MADE, filled=FILLED, stepped=stepped, first=first)
    texts = files(text)
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


def test_what_is_filled_and_read_item_by_item_is_made_there() -> None:
    assert _added() == [MADE[:-1] + ", device=x.device)", FIRST[:-1] + ", device=x.device)"]


def test_one_of_several_that_a_statement_makes_is_too() -> None:
    first = "same, other = torch.eye(x.shape[0]), 0"
    assert first.replace("[0])", "[0], device=x.device)") in _added(first)


@pytest.mark.parametrize(
    "stepped",
    [
        "out[:, :, k] = torch.from_numpy(out[:, :, k - 1].numpy())",
        "row = out[:, :, k - 1]; print(row.numpy())",
    ],
)
def test_what_is_read_on_the_cpu_stays_there(stepped: str) -> None:
    assert not any("torch.empty" in line for line in _added(stepped=stepped))
