"""What a predicate leaves of items that are known one by one."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch

here = torch.ones(4, device="cuda")
host, there = torch.zeros(4), torch.zeros(4, device="cuda")


def is_tensor(value):
    return isinstance(value, torch.Tensor)


for value in {}:
    here + value
"""


@pytest.mark.parametrize(
    "kept",
    [
        "filter(torch.is_tensor, [1, 'a', {}])",
        "filter(is_tensor, (None, {}))",
        "filter(lambda value: value is not None, [None, {}])",
        "[next(filter(is_tensor, [None, {}]))]",
        "[value for number, value in filter(lambda pair: pair[0] > 1, [(1, there), (2, {})])]",
    ],
)
def test_what_passes_is_kept(kept: str) -> None:
    assert clashes(PROGRAM.format(kept.format("host"))) == ["13: device"]
    assert clashes(PROGRAM.format(kept.format("there"))) == []


@pytest.mark.parametrize(
    "kept",
    [
        "filter(lambda pair: pair > 1, [1, 0])",
        "[value for number, value in filter(lambda pair: pair[0] > 1, [(1, host), (2, there)])]",
        "filter(None, [0, None, there])",
        "[next(filter(lambda value: len(input()) > 1, [host, there]))]",
    ],
)
def test_what_does_not_pass_is_not(kept: str) -> None:
    assert clashes(PROGRAM.format(kept)) == []
