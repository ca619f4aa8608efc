"""NumPy has no bfloat16, wherever the tensor is."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """
import numpy as np
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
half = torch.randn(3, 4).bfloat16()
"""


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("half.numpy()", True),
        ("np.asarray(half)", True),
        ("np.mean(half)", True),
        ("half.clone().detach().cpu().numpy()", True),
        ("half.float().numpy()", False),
        ("half.to(torch.float64).numpy()", False),
        ("half.tolist()", False),
        ("half[0, 0].item()", False),
        ("half.argmax().numpy()", False),
        ("half.view(torch.int16).numpy()", False),
        ("half.half().numpy()", False),
        ("torch.empty_like(half, dtype=torch.float32).numpy()", False),
    ],
)
def test_what_numpy_reads(expression: str, refused: bool) -> None:
    assert clashes(f"{HEAD}{expression}\n") == ["7: array-dtype"] * refused


def test_a_tensor_on_the_accelerator_is_copied_first_and_then_cast() -> None:
    program = f"{HEAD}there = half.to(device)\nprint(there.numpy())\n"
    assert clashes(program) == ["8: numpy"]
    after = fix_texts({"train.py": program}, Applicability.UNSAFE)[0]["train.py"]
    assert "print(there.cpu().float().numpy())\n" in after


def test_what_autocast_computes_for_the_accelerator_alone_counts() -> None:
    program = """
model = nn.Linear(4, 2).to(device)
def reduced(): return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")
with torch.no_grad(), reduced():
    scores = model(torch.randn(3, 4).to(device))
print(scores.cpu().numpy())
"""
    assert clashes(HEAD + program) == ["12: array-dtype"]


def test_the_fix_is_unsafe_and_says_where_the_precision_came_from() -> None:
    _, (report,) = fix_texts(
        {"train.py": f"{HEAD}out = nn.Linear(4, 2).bfloat16()(half).detach()\nout.numpy()\n"}
    )
    (finding,) = report.findings
    assert finding.code == "DF510"
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.UNSAFE
    assert any("is computed here, in bfloat16" in note.text for note in finding.notes)
