"""What is handed on as ``**options`` is a dict: its values move where they are made, or not at all."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

HEAD = """
import numpy as np
import torch
from torch.nn import functional as F
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
logits, target = torch.randn(4, 3).to(device), torch.zeros(4, dtype=torch.long).to(device)
"""
CLASS = """
class Loss:
    def __init__(self, weights):
        self.options = {"weight": torch.tensor(weights)}
    def __call__(self, logits, target):
        return F.cross_entropy(logits, target, **self.options)
print(Loss([1.0, 2.0, 3.0])(logits, target))
"""
PLAIN = """
options = {"weight": torch.tensor([1.0, 2.0, 3.0])}
print(F.cross_entropy(logits, target, **options))
"""
DISPLAY = """
def loss(options):
    return F.cross_entropy(logits, target, **{"reduction": "sum", **options})
print(loss({"weight": torch.tensor([1.0, 2.0, 3.0])}))
"""
ARRAYS = """
curves = {"a": logits, "b": logits}
np.savez("curves.npz", **curves)
"""
WIDTH = """
parts = {"input": torch.ones(2, 3).double(), "weight": torch.ones(3, 3)}
print(F.linear(**parts))
"""


@pytest.mark.parametrize("program", [CLASS, PLAIN, DISPLAY, ARRAYS, WIDTH])
def test_no_method_of_a_tensor_is_called_on_the_dict(program: str) -> None:
    after = fix_texts({"train.py": HEAD + program}, Applicability.UNSAFE)[0]["train.py"]
    assert [line for line in after.splitlines() if "**" in line] == [
        line for line in program.splitlines() if "**" in line
    ]


def test_the_value_moves_where_it_is_made() -> None:
    after = fix_texts({"train.py": HEAD + PLAIN})[0]["train.py"]
    assert 'options = {"weight": torch.tensor([1.0, 2.0, 3.0], device=device)}' in after
