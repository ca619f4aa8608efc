"""Floats that count: what ``arange`` wrote into a tensor of floats are numbers of entries, and no mask."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

TEXT = """
import torch

class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Parameter(torch.ones(4, 3))
        self.tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.Tensor

    def forward(self, x, keep):
        rows = torch.arange({bounds}, out=self.tensor())
        rows = rows{kept}
        return self.table[rows] * x
"""


def fixed(text: str) -> str:
    """The program with all fixes."""
    return fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("kept", ["", ".masked_select(keep)", ".detach()"])
def test_they_are_cast_where_they_select(kept: str) -> None:
    text = TEXT.format(bounds="0, 4", kept=kept)
    assert fixed(text) == text.replace("[rows]", "[rows.long()]")


@pytest.mark.parametrize(
    ("bounds", "kept"), [("0.0, 1.0, 0.25", ""), ("0, 4", " * 0.5"), ("0, 4", ".long()")]
)
def test_what_was_computed_or_is_cast_is_left_alone(bounds: str, kept: str) -> None:
    text = TEXT.format(bounds=bounds, kept=kept)
    assert fixed(text) == text
