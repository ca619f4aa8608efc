"""What a fix is called tells what it changes."""

from __future__ import annotations

import pytest
from text_program import check_texts

TEXT = """
import torch

device = torch.device("cuda")
x = torch.ones(3, device=device)
{statements}
"""


@pytest.mark.parametrize(
    ("statements", "title"),
    [
        ("y = torch.zeros(3)\nprint(x + y)", "move `y` to the device of what it meets"),
        ("y = torch.zeros(3)\ny.mul_(2).add_(x)", "move `y` to the device of what it meets"),
        (
            "y = torch.arange(3)\nprint(x + y.unsqueeze(0))",
            "make `torch.arange(3)` on the device of what it meets",
        ),
    ],
    ids=["what is made", "what is written to", "what it is computed from"],
)
def test_the_title_names_what_changes(statements: str, title: str) -> None:
    [finding] = check_texts({"main.py": TEXT.format(statements=statements)})
    assert finding.fix is not None
    assert finding.fix.title == title
