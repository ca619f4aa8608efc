"""A default dtype that is set by what prepares tests holds for what the tests call, which no script does."""

from __future__ import annotations

import pytest
from text_program import clashes

FILE = """import unittest

import pytest
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        return self.layer(x)

def run():
    return Net()(torch.ones(2, 3, dtype=torch.float64))

{setup}
"""


@pytest.mark.parametrize(
    "setup",
    [
        """class TestNet(unittest.TestCase):
    def setUp(self):
        torch.set_default_dtype(torch.float64)

    def test_run(self):
        assert run().shape == (2, 1)
""",
        """class TestNet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_default_tensor_type(torch.DoubleTensor)

    def test_run(self):
        assert run().shape == (2, 1)
""",
        """@pytest.fixture(autouse=True)
def doubles(request):
    torch.set_default_dtype(request.param)

def test_run():
    assert run().shape == (2, 1)
""",
    ],
)
def test_how_wide_floats_are_is_not_known_where_a_function_sets_it(setup: str) -> None:
    assert clashes(FILE.format(setup=setup)) == []


@pytest.mark.parametrize(
    "setup",
    [
        "def test_run():\n    assert run().shape == (2, 1)\n",
        "def reset():\n    torch.set_default_dtype(torch.float32)\n",
        "def reset():\n    torch.set_default_tensor_type('torch.FloatTensor')\n",
    ],
)
def test_else_they_are_float32(setup: str) -> None:
    assert clashes(FILE.format(setup=setup)) == ["13: dtype"]
