"""Casts that devfix adds: they follow the dtype somebody chose, and they do not undo each other."""

from __future__ import annotations

import pytest
import torch
from text_program import files, fix_texts

from devfix.findings import Applicability

HEAD = "import numpy as np\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

#: Programs that PyTorch refuses, and what has to stand in the repaired text.
PROGRAMS = {
    "a factory names the dtype of what is written to": (
        "share = torch.zeros(3, dtype=torch.int64)\nshare += 1\nshare /= share.sum()\nprint(share)\n",
        "share = torch.zeros(3, dtype=torch.float32)\n",
    ),
    "a factory names the dtype, and something else is done to what it makes": (
        "share = torch.ones(3, dtype=torch.int64).cumsum(0)\nshare /= share.sum()\nprint(share)\n",
        "share = torch.ones(3, dtype=torch.int64).cumsum(0).float()\n",
    ),
    "a factory is told its dtype by what a call unpacks": (
        "how = dict(dtype=torch.int64)\nshare = torch.zeros(3, **how)\nshare /= share.sum()\nprint(share)\n",
        "share = torch.zeros(3, **how).float()\n",
    ),
    "a model in two dtypes": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(4, 2)

    def forward(self, x):
        return self.inp(x.float())


net, x = Net(), torch.randn(3, 4)
net(x)
net.bfloat16()
net(x)
""",
        "self.inp(x.to(self.inp.weight.dtype))",
    ),
    "a layer that is made beside another one": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.out = nn.Linear(4, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.out(self.inp(x.float()))


net, x = Net(), torch.randn(3, 4)
net(x)
net.bfloat16()
net(x)
""",
        "self.inp(x.to(self.inp.weight.dtype))",
    ),
    "a model that is a chain of layers": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).bfloat16()\nnet(torch.randn(3, 4))\n",
        "net(torch.randn(3, 4).to(next(net.parameters()).dtype))",
    ),
    "an option names the dtype": (
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="bfloat16")
args = parser.parse_args([])
net = nn.Linear(4, 2).to(getattr(torch, args.dtype))
net(torch.randn(3, 4))
""",
        "net(torch.randn(3, 4).to(net.weight.dtype))",
    ),
    "a dtype that was chosen for a constant": (
        "table = torch.arange(4, dtype=torch.float64)\nnn.Linear(4, 2)(table)\n",
        "nn.Linear(4, 2)(table.float())",
    ),
    "a cast that follows another tensor": (
        "a, c = torch.rand(3, 3), torch.arange(3)\nb = a @ a.type_as(c)\n",
        "a.type_as(c).float()",
    ),
    "what is added to a tensor": (
        "out = torch.zeros(3)\nout.index_add_(0, torch.tensor([0, 2]), torch.from_numpy(np.ones(2)))\n",
        "torch.from_numpy(np.ones(2)).float()",
    ),
    "ids that were made floats, for a product too": (
        """
ids = torch.tensor([0, 1, 2]).float()
a = nn.Embedding(4, 3)(ids)
b = ids @ torch.ones(3, 3)
""",
        "nn.Embedding(4, 3)(ids.long())",
    ),
    "a rating that gets fractions": (
        "ratings = torch.tensor([1200, 1300])\nratings[0] += 0.5\n",
        "torch.tensor([1200, 1300]).float()",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_runs_afterwards(name: str) -> None:
    before, wanted = PROGRAMS[name]
    with pytest.raises((RuntimeError, ValueError)):
        exec(HEAD + before, {"torch": torch})
    after = fix_texts({"main.py": HEAD + before}, Applicability.UNSAFE)[0]["main.py"]
    assert wanted in after
    exec(after, {"torch": torch})


def test_a_float_that_somebody_computes_with_stays_one() -> None:
    text = """
        import torch
        from torch import nn

        table = nn.Embedding(8, 2)
        distance = torch.arange(5).abs().float()
        near = torch.where(distance < 4, distance, torch.log(distance + 1).floor())
        print(table(near))
        """
    fixed = fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"]
    assert "table(near.long())" in fixed
    assert "distance = torch.arange(5).abs().float()" in fixed
