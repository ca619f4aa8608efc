"""What gets nothing but truths written to it is a mask, and is made as one."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch

def sample(labels, count):
    positive = torch.where(labels >= 1)[0]
    chosen = {made}
    {written}
    return chosen

labels = torch.tensor([0.0, 1.0, 1.0])
rows = torch.ones(3, 2)
chosen = sample(labels, 2)
print({used})
"""


def _fixed(made: str, written: str = "chosen[positive[:count]] = True", used: str = "rows[chosen]") -> str:
    text = PROGRAM.format(made=made, written=written, used=used)
    return fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize(
    "used", ["rows[chosen]", "(chosen | (labels > 0)).sum()", "rows[chosen], chosen & chosen"]
)
@pytest.mark.parametrize(
    "made", ["torch.zeros_like(labels{})", "torch.zeros(3{})", "torch.ones(3, device=labels.device{})"]
)
def test_it_is_made_as_a_mask(made: str, used: str) -> None:
    told = made.format(", dtype=torch.bool")
    assert _fixed(made.format(""), used=used) == _fixed(told, used=used)
    assert told in _fixed(made.format(""), used=used)


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("torch.zeros(3)", "chosen[positive[:count]] = 1.5"),
        ("torch.zeros(3)", "chosen[0] = True\n    chosen[1] = 2"),
        ("torch.zeros(3)", "chosen[0] = True\n    chosen[1] += True"),
        ("torch.zeros(3)", "chosen[0] = True\n    chosen = chosen / 2"),
        ("torch.zeros(3)", "pass"),
        ("torch.zeros(3) + labels", "chosen[0] = True"),
        ("torch.zeros(3, dtype=torch.float32)", "chosen[0] = True"),
    ],
)
def test_what_may_be_other_numbers_is_made_as_before(made: str, written: str) -> None:
    assert "torch.bool" not in _fixed(made, written)
