"""What is multiplied by a number moves itself, and not what comes out of that."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import torch

class Norm:
    def __init__(self, tables, factor):
        self.mean, self.factor = tables["mean"], factor

    def __call__(self, x):
        return x - {used}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
norm = Norm({{"mean": torch.zeros(3)}}, {factor})
print(norm(torch.ones(4, 3).to(device)), norm(torch.ones(4, 3)))
"""


@pytest.mark.parametrize(
    ("used", "moved"),
    [
        ("0.9 * self.mean", "0.9 * self.mean.to(x.device)"),
        ("self.mean / 2", "self.mean.to(x.device) / 2"),
        ("-1 * (self.mean * 2 + 1)", "-1 * (self.mean.to(x.device) * 2 + 1)"),
    ],
)
def test_a_tensor_moves_before_it_is_scaled(used: str, moved: str) -> None:
    text = PROGRAM.format(used=used, factor="0.9")
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(used, moved)


@pytest.mark.parametrize("factor", ["0.9", "np.ones(3)"])
def test_what_may_be_an_array_meets_the_tensor_on_the_cpu(factor: str) -> None:
    text = PROGRAM.format(used="(self.factor * self.mean)", factor=factor).replace(
        "import torch\n", "import numpy as np\nimport torch\n", 1
    )
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "(self.factor * self.mean).to(x.device)" in after
