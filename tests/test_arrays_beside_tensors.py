"""Operators between a tensor and an array: NumPy computes, PyTorch makes a tensor on the CPU of the outcome."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from text_program import Ending, clashes

from devfix.analysis.domain.values import Tensor

TEXT = """
import numpy as np
import torch
from torch import nn

data = np.random.rand(16, 2)
low, high = data.min(0), data.max(0)
net = nn.Linear(2, 1).cuda()
x = torch.tensor(data, dtype=torch.float32){moved}
h = {made}
net(h.float())
"""


@pytest.mark.parametrize(
    "made", ["x - low", "2.0 * (x - low) / (high - low)", "(x - low) * high", "data / x"]
)
def test_the_outcome_is_on_the_cpu(made: str) -> None:
    assert clashes(TEXT.format(made=made, moved="")) == ["11: device"]


def test_an_accelerators_tensor_cannot_be_read() -> None:
    assert clashes(TEXT.format(made="x - low", moved=".cuda()")) == ["10: numpy"]


@pytest.mark.parametrize("made", ["x - data.min()", "x * np.float64(2)", "x - torch.tensor(low).cuda()"])
def test_numbers_and_tensors_are_no_arrays(made: str) -> None:
    assert clashes(TEXT.format(made=made, moved=".cuda()")) == []


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("array", ["float32", "float64", "int32"])
def test_the_dtype_is_what_numpy_makes_of_both(dtype: str, array: str) -> None:
    text = f"import numpy as np\nimport torch\nx = torch.ones(3, dtype=torch.{dtype}) - np.ones(3, dtype=np.{array})\n"
    made = Ending(text)["x"]
    own = torch.ones(3, dtype=getattr(torch, dtype)).numpy()
    real = torch.from_numpy(own - np.ones(3, dtype=getattr(np, array)))
    assert isinstance(made, Tensor)
    assert made.dtype == str(real.dtype).removeprefix("torch.")
    assert made.rank == real.dim()


def test_a_list_of_numbers_may_hold_none_of_the_accelerator() -> None:
    text = """
    import numpy as np
    import torch

    loss = torch.ones(2).cuda().sum()
    history = np.zeros(2)
    history = history + [loss, 1.0]
    history = history + [loss.cpu(), 1.0]
    """
    assert clashes(text) == ["7: numpy"]
