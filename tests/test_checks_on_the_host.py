"""A method that checks its module with NumPy, from wherever the results are, is called where there is no accelerator."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import numpy as np
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)

    def check(self, turn):
        x = torch.randn(3, 4)
        {body}
        assert np.allclose(one, other)
"""


@pytest.mark.parametrize(
    "body",
    [
        "one = turn(self(x)).detach().numpy()\n        other = self(turn(x)).detach().numpy()",
        "one, other = self(x), self(turn(x))\n        one, other = one.data.numpy(), other.data.numpy()",
    ],
)
def test_what_is_handed_to_numpy_as_it_is_is_on_the_cpu(body: str) -> None:
    assert not clashes(PROGRAM.format(body=body))


@pytest.mark.parametrize(
    "body",
    [
        "one = self(x).cpu().numpy()\n        other = self(turn(x)).detach().cpu().numpy()",
        "one = self(x)\n        other = one",
    ],
)
def test_what_is_fetched_may_be_anywhere(body: str) -> None:
    assert clashes(PROGRAM.format(body=body)) == ["12: device"]


def test_a_method_that_is_called_is_judged_where_it_is_called() -> None:
    program = PROGRAM.format(body="one = other = self(x).detach().numpy()")
    assert clashes(f'{program}\nNet().to("cuda").check(None)\n') == ["12: device", "16: numpy"]


PLACED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.layer = nn.Linear(4, 4){moved}

    def forward(self, x):
        return self.layer(x.to(self.device))

    def encode(self, x):
        return self(x).detach().numpy()
"""


def test_what_puts_itself_on_the_accelerator_hands_over_what_is_there() -> None:
    assert clashes(PLACED.format(moved=".to(self.device)")) == ["15: numpy"]


def test_what_leaves_that_to_others_may_be_anywhere() -> None:
    assert clashes(PLACED.format(moved="").replace("x.to(self.device)", "x")) == []
