"""What is told of bounds and of dtypes by tests and numbers."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = "import torch\nfrom torch import nn\nx = torch.arange(4).cuda()\nspan = torch.tensor(3)\n"


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("torch.clamp(x, 0, span * 2 - 1)", []),
        ("x.clamp(min=span, max=5)", []),
        ("x.clamp(span, span)", ["5: device"]),
    ],
)
def test_a_scalar_beside_a_number_is_a_number(call: str, found: list[str]) -> None:
    assert clashes(f"{HEAD}{call}\n") == found


@pytest.mark.parametrize(
    ("dtypes", "found"), [("torch.int32, torch.int64", []), ("torch.float32,", ["13: index-dtype"])]
)
def test_a_dtype_is_looked_for_among_others(dtypes: str, found: list[str]) -> None:
    text = f"""
import torch
from torch import nn

class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 4)

    def forward(self, tokens):
        if tokens.dtype in [{dtypes}]:

            return self.table(tokens)
        return tokens @ self.table.weight

print(Table()(torch.ones(2, 4)))
"""
    assert clashes(text) == found
