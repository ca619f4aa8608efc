"""Functions that go down through nested data, as those do that move batches."""

from __future__ import annotations

import pytest
from text_program import Ending

from devfix.analysis.domain.values import Tensor

MOVER = """
import torch

def moved(value, device):
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {k: moved(v, device) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(moved(v, device) for v in value)
    return value

def countdown(n):
    return torch.ones(1) if n == 0 else countdown(n - 1) + countdown(n - 1)

t = torch.ones(2, 3)
"""


@pytest.mark.parametrize(
    "expression",
    [
        "moved(t, 'cuda')",
        "moved([t, t], 'cuda')[1]",
        "moved((t, 'name'), 'cuda')[0]",
        "moved({'x': t, 'n': 1}, 'cuda')['x']",
        "moved(({'graph': {'x': t}, 'n': 's'}, t), 'cuda')[0]['graph']['x']",
        "moved([[{'a': [t]}]], 'cuda')[0][0]['a'][0]",
    ],
)
def test_every_tensor_is_moved(expression: str) -> None:
    value = Ending(f"{MOVER}result = {expression}\n")["result"]
    assert isinstance(value, Tensor)
    assert value.device.is_accelerator


def test_a_recursion_that_nothing_bounds_is_left() -> None:
    """The answer is not known, and is there soon."""
    ending = Ending(f"{MOVER}result = countdown(30)\n")
    assert not isinstance(ending["result"], Tensor) or not ending["result"].device.is_accelerator
    assert ending.interpreter.steps < 2000


def test_the_type_of_a_collection_makes_others() -> None:
    ending = Ending(f"{MOVER}a, b, c = type((t,))([t]), type([t])((t,)), type({{}})(x=t)\n")
    assert [type(ending[name]).__name__ for name in "abc"] == ["TupleValue", "Ref", "Ref"]
