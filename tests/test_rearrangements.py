"""einops: what is given another form stays where it is."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import torch
from einops import einsum, rearrange, reduce, repeat
from einops.layers.torch import Rearrange

x = torch.ones(2, 3, 4).cuda()
y = torch.ones(2, 12)
"""


@pytest.mark.parametrize(
    "made",
    [
        "rearrange(x, 'b c d -> b (c d)')",
        "reduce(x, 'b c d -> b d', 'mean')",
        "repeat(x, 'b c d -> b (c r) d', r=2)",
        "Rearrange('b c d -> b (c d)')(x)",
        "torch.nn.Sequential(Rearrange('b c d -> b (c d)'))(x)",
        "einsum(x, x, 'b c d, b c d -> b c')",
        "rearrange([x, x], 'n b c d -> b n c d')",
    ],
)
def test_stays_on_its_device(made: str) -> None:
    assert clashes(f"{HEAD}z = {made}\nprint(z + y)\n") == ["9: device"]
    assert clashes(f"{HEAD}z = {made}\nprint(z + y.cuda())\n") == []


def test_tensors_of_an_einsum_meet() -> None:
    assert clashes(f"{HEAD}einsum(x, y, 'b c d, b e -> b e')\n") == ["8: device"]
