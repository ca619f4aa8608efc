"""Casts that devfix adds: they follow the dtype somebody chose, and they do not undo each other."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes, files, fix_texts

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
    "a weight that is computed, with a bias that may be left out": (
        """
class Scaled(nn.Module):
    def __init__(self, weight, bias):
        super().__init__()
        self.register_buffer("steps", (weight * 8).to(torch.int8))
        self.bias = bias

    def forward(self, x):
        return F.linear(x, self.steps * torch.tensor([0.125]), self.bias)


model = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2, bias=False)).bfloat16()
for k, layer in enumerate(model):
    model[k] = Scaled(layer.weight.detach(), layer.bias)
print(model(torch.ones(1, 4, dtype=torch.bfloat16)))
""",
        "F.linear(x, (self.steps * torch.tensor([0.125])).to(x.dtype), self.bias)",
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
    "a layer that another one may take the place of, by a name that is computed": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.out = nn.Linear(4, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.out(self.inp(x.float()))


def wrap(net, names):
    for name in names:
        setattr(net, name, nn.Sequential(getattr(net, name)))


net, x = Net(), torch.randn(3, 4)
net(x)
net.bfloat16()
wrap(net, ["inp"])
net(x)
""",
        "self.inp(x.to(next(self.inp.parameters()).dtype))",
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
        "torch.tensor([1200, 1300], dtype=torch.float32)",
    ),
    "counts that become tensors beside indices": (
        """
row, col, count = np.array([0, 1]), np.array([2, 0]), np.array([3, 1])
row, col, count = (torch.from_numpy(np.ascontiguousarray(a)) for a in (row, col, count))
total = torch.zeros(9)
total.scatter_add_(0, row * 3 + col, count)
""",
        "total.scatter_add_(0, row * 3 + col, count.float())",
    ),
    "counts of which a helper makes tensors, as of indices": (
        """
def tensor(a):
    return torch.from_numpy(a)


index, count = tensor(np.array([0, 1])), tensor(np.array([3, 1]))
torch.zeros(9).index_add_(0, index, count)
""",
        "torch.zeros(9).index_add_(0, index, count.float())",
    ),
    "counts that a data set keeps beside labels": (
        """
class Table:
    def __init__(self, counts, labels):
        self.counts = torch.from_numpy(counts)
        self.labels = torch.from_numpy(labels)


table = Table(np.ones((4, 3), dtype=np.int64), np.array([0, 1, 0, 1]))
F.cross_entropy(nn.Linear(3, 2)(table.counts), table.labels)
""",
        "self.counts = torch.from_numpy(counts).float()",
    ),
    "counts that are used where they are gone through": (
        """
net = nn.Linear(3, 2)
found = [net(torch.from_numpy(row)) for row in np.ones((4, 3), dtype=np.int64)]
""",
        "net(torch.from_numpy(row).float())",
    ),
    "weights of a bag, which come from NumPy": (
        """
bag, ids = nn.EmbeddingBag(4, 3, mode="sum"), torch.tensor([0, 1, 2])
weights = torch.from_numpy(np.array([0.5, 0.2, 0.3]))
bag(ids, torch.tensor([0, 2]), per_sample_weights=weights)
""",
        "weights = torch.from_numpy(np.array([0.5, 0.2, 0.3])).float()",
    ),
    "weights of a bag that is a function": (
        """
table, ids = torch.rand(4, 3), torch.tensor([[0, 1, 2]])
F.embedding_bag(ids, table, mode="sum", per_sample_weights=torch.ones(1, 3, dtype=torch.int64))
""",
        "per_sample_weights=torch.ones(1, 3, dtype=torch.float32)",
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


@pytest.mark.parametrize("weight", ["float32", "float64", "float16"])
@pytest.mark.parametrize("given", ["float32", "float64", "float16"])
@pytest.mark.parametrize("within", ["contextlib.nullcontext()", "torch.autocast('cpu', torch.bfloat16)"])
def test_the_weights_of_a_bag_are_refused_as_pytorch_refuses_them(
    weight: str, given: str, within: str
) -> None:
    text = f"""
import contextlib
import torch
table, ids = torch.rand(4, 3, dtype=torch.{weight}), torch.tensor([[0, 1, 2]])
weights = torch.rand(1, 3, dtype=torch.{given})
with {within}:
    torch.nn.functional.embedding_bag(ids, table, mode="sum", per_sample_weights=weights)
"""
    try:
        exec(text, {})
    except RuntimeError:
        refused = True
    else:
        refused = False
    assert bool(clashes(text)) == refused


def test_the_weights_of_a_bag_are_compared_with_its_table_alone() -> None:
    text = """
import torch
from elsewhere import table
ids, weights = torch.tensor([[0, 1, 2]]), torch.rand(1, 3)
torch.nn.functional.embedding_bag(ids, table, mode="sum", per_sample_weights=weights)
"""
    assert clashes(text) == []


PLACES = """
import torch
import torch.nn.functional as F

net = torch.nn.Linear({size}, 2).cuda()
data = torch.utils.data.TensorDataset(torch.randint(0, 5, (8, 5)))
for (y,) in torch.utils.data.DataLoader(data, batch_size=4):
    y = y.cuda()
    z = {made}
    net(z)
"""


@pytest.mark.parametrize(
    "made",
    [
        "F.one_hot(y, 5)",
        "torch.argsort(y, dim=-1)",
        "y.argsort(dim=-1)",
        "y.sort(-1)[1]",
        "y.topk(5)[1]",
        "y.max(0, keepdim=True)[1]",
        "y.argmax(0)",
        "y.nonzero()",
        "torch.searchsorted(y, y)",
        "torch.bincount(y.view(-1), minlength=5)",
        "y.unique(return_counts=True)[1]",
    ],
)
def test_places_and_counts_are_cast_and_not_what_they_tell_of(made: str) -> None:
    text = PLACES.format(made=made, size=2 if "nonzero" in made else 5)
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert fixed["main.py"] == text.replace("net(z)", "net(z.float())")


@pytest.mark.parametrize("made", ["y + 1", "y.abs()", "y.flip(0)", "torch.cat([y, y])"])
def test_what_has_the_dtype_of_an_operand_is_cast_there_where_that_came_from(made: str) -> None:
    text = (
        PLACES.format(made=made, size=5)
        .replace("y = y.cuda()\n    z", "z")
        .replace("net(z)", "net(z.cuda())")
    )
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert fixed["main.py"].count(".float()") == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.arange(4).long()", "torch.arange(4).float()"),
        (
            "torch.zeros(4, dtype=torch.float64).double() * 2",
            "torch.zeros(4, dtype=torch.float64).float() * 2",
        ),
    ],
)
def test_a_cast_that_changed_nothing_casts_to_what_is_wanted(before: str, after: str) -> None:
    text = f"import torch\n\nnet = torch.nn.Linear(4, 2)\nx = {before}\nprint(net(x))\n"
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text.replace(before, after)
