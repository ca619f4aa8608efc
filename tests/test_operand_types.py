"""Operations that ask for the dtype of one operand: what PyTorch refuses is found, and nothing else."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
f, i, b = torch.rand(2, 3), torch.ones(2, 3, dtype=torch.int64), torch.rand(2, 3) > 0.5
u, d, h = b.byte(), f.double(), f.bfloat16()
x, q = torch.rand(2, 3, 8), torch.rand(2, 3, 8)
rows = torch.tensor([1, 0])
"""

#: One expression a line; PyTorch decides which of them are faults.
EXPRESSIONS = """
f.masked_fill(b, 0.0)
f.masked_fill(i, 0.0)
f.masked_fill(u, 0.0)
f.masked_fill(f, 0.0)
f.clone().masked_fill_(i, 0.0)
f.masked_select(b)
f.masked_select(i)
torch.where(b, f, f)
torch.where(i, f, f)
torch.where(u, f, f)
f.where(b, f)
f.where(i, f)
b & b
i & i
i & 1
b & True
f & f
f & b
f | True
~b
~i
~f
torch.bitwise_xor(f, b)
torch.logical_and(f, i)
f[b]
f[b.float()]
F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(3, 3).bool())
F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(3, 3))
F.scaled_dot_product_attention(q.double(), q, q)
F.scaled_dot_product_attention(q, q, q.half())
F.scaled_dot_product_attention(q.double(), q.double(), value=q.double())
F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(3, 3).long())
nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x, key_padding_mask=b)
nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x, key_padding_mask=b.long())
nn.TransformerEncoderLayer(8, 2, batch_first=True)(x, src_key_padding_mask=b.int())
nn.TransformerEncoderLayer(8, 2, batch_first=True)(x, src_mask=torch.zeros(3, 3))
nn.TransformerEncoderLayer(8, 2, batch_first=True)(x, src_mask=torch.zeros(3, 3).double())
nn.TransformerEncoderLayer(8, 2, batch_first=True)(x, src_key_padding_mask=torch.zeros(2, 3).double())
nn.TransformerDecoderLayer(8, 2, batch_first=True)(x, x, memory_mask=torch.zeros(3, 3).double())
nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x, key_padding_mask=torch.zeros(2, 3).double())
nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x, key_padding_mask=torch.zeros(2, 3))
nn.Bilinear(8, 8, 2)(x, x)
nn.Bilinear(8, 8, 2)(x.double(), x.double())
torch.linalg.solve_triangular(torch.eye(3), torch.eye(3).double(), upper=True)
nn.EmbeddingBag(4, 3)(rows.byte(), torch.tensor([0]))
nn.EmbeddingBag(4, 3)(rows.byte().view(1, 2))
torch.take_along_dim(f, rows.int())
torch.take_along_dim(f, rows.int().view(2, 1), 1)
nn.TransformerEncoderLayer(8, 2)(x.double())
nn.TransformerDecoderLayer(8, 2)(x, x.double())
nn.MultiheadAttention(8, 2)(x, x.double(), x.double())
nn.GRU(8, 4)(x, torch.zeros(1, 3, 4))
nn.GRU(8, 4)(x, torch.zeros(1, 3, 4, dtype=torch.float64))
f.mean()
i.mean()
i.mean(dtype=torch.float32)
i.float().mean(0)
b.mean()
torch.mean(i, dim=1)
i.std()
i.norm()
i.sum()
i.median()
i.softmax(1)
F.softmax(i, dim=1)
F.softmax(i, dim=1, dtype=torch.float32)
torch.exp(i)
f.index_add(0, rows, f)
f.index_add(0, rows, d)
f.index_copy(0, rows, h)
f.scatter_add(1, i, d)
f.scatter(1, i, 1.0)
f.scatter(1, i, f)
f.scatter(1, i, h)
f.masked_scatter(b, d)
""".strip().splitlines()


def refuses(expression: str) -> bool:
    names: dict[str, object] = {}
    exec(HEAD, names)
    try:
        eval(expression, names)
    except (RuntimeError, AssertionError, TypeError, IndexError):
        return True
    return False


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_fault_is_found_where_pytorch_refuses(expression: str) -> None:
    torch.manual_seed(0)
    assert bool(clashes(f"{HEAD}{expression}\n")) is refuses(expression)


@pytest.mark.parametrize("use", ["scores == labels", "scores + labels", "labels * scores"])
def test_beside_a_tensor_an_operand_is_no_list(use: str) -> None:
    text = """
import sys
import torch

scores = torch.ones(3, device="cuda")
labels = torch.tensor([1, 2, 3]) if len(sys.argv) > 1 else [1, 2, 3]
"""
    assert clashes(f"{text}{use}\n") == ["7: device"]
    assert clashes(f"{text}labels + [1]\n") == []


PRODUCTS = """
import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
n, m = torch.ones(2, 3, dtype=torch.int32), torch.ones(3, dtype=torch.int64)
on, om, f = n.to(device), m.to(device), torch.rand(2, 3, device=device)
"""


@pytest.mark.parametrize(
    "use",
    [
        "on @ on.t()",
        "torch.matmul(on, on.T)",
        "on.mm(on.t())",
        "torch.dot(om, om)",
        "om @ om",
        "on[None].bmm(on.t()[None])",
    ],
)
def test_an_accelerator_multiplies_no_matrices_of_integers(use: str) -> None:
    assert clashes(f"{PRODUCTS}print({use})\n") == ["6: float-dtype"]


@pytest.mark.parametrize(
    "use",
    [
        "n @ n.t()",
        "torch.dot(m, m)",
        "on * on",
        "torch.outer(om, om)",
        "on.float() @ on.t().float()",
        "f @ f.t()",
        "f.long().sum() * on",
        "on.cpu() @ on.t().cpu()",
    ],
)
def test_other_products_of_integers_are_right(use: str) -> None:
    assert not clashes(f"{PRODUCTS}print({use})\n")
