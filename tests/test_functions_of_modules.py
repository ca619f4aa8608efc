"""What a function of an imported module gives is named by its operand, and never by the module."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import functional
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def steps(raw):
    return torch.cat([torch.zeros(len(raw), 1), {called}], 1)
print(steps(torch.ones(3, 3, device=device)))
"""


@pytest.mark.parametrize(
    "called",
    [
        "nn.functional.softplus(raw[:, 1:])",
        "torch.nn.functional.softplus(raw)",
        "F.softplus(raw)",
        "functional.softplus(torch.exp(raw))",
        "torch.special.expit(raw).abs()",
    ],
)
def test_the_operand_tells_the_device(called: str) -> None:
    text = fix_texts({"main.py": PROGRAM.replace("{called}", called)}, Applicability.SAFE)[0]["main.py"]
    assert f"torch.zeros(len(raw), 1, device=raw.device), {called}]" in text


def test_a_function_that_is_told_a_device_has_no_operand_to_ask() -> None:
    called = "torch.zeros_like(torch.ones(len(raw), 2), device=device)"
    text = fix_texts({"main.py": PROGRAM.replace("{called}", called)}, Applicability.SAFE)[0]["main.py"]
    assert f"torch.zeros(len(raw), 1, device=device), {called}]" in text


@pytest.mark.parametrize("called", ["torch.Tensor.squeeze(h)", "nn.functional.dropout(h).squeeze()"])
def test_no_dtype_is_asked_of_a_module(called: str) -> None:
    text = (
        "import torch\nfrom torch import nn\nh, m = torch.rand(2, 3).half(), torch.ones(2, 3) > 0\n"
        f"print({called}.masked_fill(m, -1e9))\n"
    )
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert f"{called}.masked_fill(m, torch.finfo(torch.float16).min)" in after
