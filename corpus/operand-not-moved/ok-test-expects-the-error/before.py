import sys

import pytest
import torch
from torch import nn

has_gpu = torch.cuda.is_available()


class Scale(nn.Module):
    """Multiplies by a learned factor; asks for inputs on its own device."""

    def __init__(self, n):
        super().__init__()
        self.factor = nn.Parameter(torch.full((n,), 2.0))

    def forward(self, x):
        return x * self.factor


def test_scale_keeps_shape():
    assert Scale(4)(torch.ones(3, 4)).shape == (3, 4)


@pytest.mark.skipif(not has_gpu, reason="needs a GPU")
def test_scale_rejects_inputs_of_another_device():
    layer = Scale(4).cuda()
    with pytest.raises(RuntimeError, match="same device"):
        layer(torch.ones(3, 4))


@pytest.mark.skipif(not has_gpu, reason="needs a GPU")
def test_linear_rejects_host_inputs():
    layer = nn.Linear(4, 2).to("cuda")
    x = torch.zeros(1, 4)
    with pytest.raises(RuntimeError):
        layer(x)


def test_double_input_is_refused():
    with pytest.raises(RuntimeError, match="dtype"):
        nn.Linear(4, 2)(torch.zeros(1, 4, dtype=torch.float64))


if __name__ == "__main__":
    status = pytest.main([__file__, "-q", "-p", "no:cacheprovider"])
    if status != 0:
        sys.exit(int(status))
    print("RESULT", float(status))
