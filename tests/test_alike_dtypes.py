"""Which operations take operands of two dtypes, and which take integers, is as PyTorch has it."""

from __future__ import annotations

import warnings

import pytest
from text_program import clashes

#: Expressions of ``x`` and ``y`` (vectors), ``m`` and ``n`` (matrices), ``b`` and ``c`` (batches of those), and ``w``, a number.
TWO_TENSORS = """
    torch.quantile(x, y[:2] / 2)
    torch.quantile(x, w / 2)
    torch.nanquantile(x, y / 2)
    x.quantile(q=y / 2)
    torch.quantile(x, 0.5)
    torch.cross(m, n)
    torch.linalg.cross(m, n)
    torch.linalg.multi_dot([m, n])
    torch.cartesian_prod(x, y)
    torch.meshgrid(x, y, indexing="ij")
    torch.complex(x, y)
    torch.polar(x, y)
    torch.heaviside(x, y)
    torch.isclose(x, y)
    torch.isclose(x, w)
    torch.allclose(x, y)
    x.allclose(y)
    torch.linalg.householder_product(m, y)
    torch.ormqr(m, x, n)
    torch.linalg.lu_solve(*torch.linalg.lu_factor(m), n)
    torch.lu_solve(m, *torch.linalg.lu_factor(m))
    torch.lerp(x, x, y)
    torch.lerp(x, x, w)
    torch.lerp(x, y, 0.5)
    x.lerp(x, y)
    torch.dot(x, y)
    torch.linalg.vecdot(x, y)
    torch.inner(x, y)
    torch.mv(m, y)
    torch.baddbmm(c, b, b)
    torch.addmm(n, m, m)
    torch.addmv(x, m, y)
    torch.tensordot(m, n)
    torch.cdist(m, n)
    torch.linalg.solve(m, n)
    torch.scatter(x, 0, torch.tensor([0, 1]), y)
    torch.index_copy(x, 0, torch.tensor([0, 1, 2]), y)
    torch.index_add(x, 0, torch.tensor([0, 1, 2]), y)
    torch.masked_scatter(x, x > 0, y)
    x.put(torch.tensor([0, 1, 2]), y)
    torch.where(x > 0, x, y)
    torch.addcmul(x, y, x)
    torch.addcdiv(x, y, x)
    torch.addr(m, x, y)
    torch.outer(x, y)
    torch.kron(m, n)
    torch.dist(x, y)
    torch.cat([x, y])
    torch.stack([x, y])
    torch.block_diag(m, n)
    torch.masked_fill(x, x > 0, w)
    torch.select_scatter(m, y, 0, 0)
    torch.searchsorted(x, y)
    torch.bucketize(x, y)
    torch.isin(x, y)
    torch.trapezoid(x, y)
    torch.diff(x, prepend=y)
    torch.cov(m, aweights=y)
    torch.logaddexp(x, y)
    torch.nextafter(x, y)
    torch.clamp(x, y)
    torch.maximum(x, y)
    torch.xlogy(x, y)
    torch.equal(x, y)
    torch.eq(x, y)
    torch.cosine_similarity(m, n)
"""
INTEGERS = """
    torch.quantile(k, 0.5)
    k.quantile(x / 2)
    k.float().quantile(x / 2)
    F.normalize(k, dim=0)
    F.gelu(k)
    F.silu(k)
    F.mish(k)
    F.elu(k)
    F.celu(k)
    F.selu(k)
    F.leaky_relu(k)
    F.rrelu(k)
    F.softplus(k)
    F.logsigmoid(k)
    F.hardsigmoid(k)
    F.hardswish(k)
    F.hardshrink(k)
    F.softshrink(k)
    F.glu(k[:2])
    torch.frac(k)
    torch.logcumsumexp(k, 0)
    torch.inverse(l)
    torch.pinverse(l)
    torch.linalg.cholesky(l)
    torch.matrix_exp(l)
    k.mean()
    k.softmax(0)
    k.softmax(0, dtype=torch.float32)
    F.relu(k)
    F.relu6(k)
    F.hardtanh(k)
    F.tanhshrink(k)
    F.softsign(k)
    torch.sigmoid(k)
    torch.logsumexp(k, 0)
    torch.erfinv(k)
    torch.square(k)
    torch.cumsum(k, 0)
    torch.corrcoef(l)
"""
SETTING = """
import torch
import torch.nn.functional as F
x, y, w = torch.ones(3), torch.ones(3, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64)
m, n = torch.eye(3), torch.eye(3, dtype=torch.float64)
b, c = torch.ones(2, 3, 3), torch.ones(2, 3, 3, dtype=torch.float64)
k, l = torch.ones(3, dtype=torch.int64), torch.eye(3, dtype=torch.int64)
""".strip()


def _is_refused(expression: str, setting: dict[str, object]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(expression, setting)
    except (RuntimeError, NotImplementedError):
        return True
    return False


@pytest.mark.parametrize("expressions", [TWO_TENSORS, INTEGERS])
def test_what_is_refused_is_what_pytorch_refuses(expressions: str) -> None:
    lines = [line.strip() for line in expressions.strip().splitlines()]
    setting: dict[str, object] = {}
    exec(SETTING, setting)
    refused = [line for line in lines if _is_refused(line, setting)]
    first = len(SETTING.splitlines()) + 1
    found = clashes("\n".join([SETTING, *lines]))
    assert [
        lines[line - first] for line in dict.fromkeys(int(each.split(":")[0]) for each in found)
    ] == refused
    assert len(refused) < len(lines)


def test_a_weight_of_unknown_rank_may_be_a_number() -> None:
    text = """
    import torch

    def blend(x, weights):
        return x.lerp(x, weights.double().sum())

    print(blend(torch.ones(3), torch.load("weights.pt")))
    """
    assert clashes(text) == []


def test_levels_of_an_array_are_made_in_the_dtype_of_what_they_are_levels_of() -> None:
    text = """
    import numpy as np
    import torch

    levels = torch.tensor(np.asarray([0.1, 0.9]))
    print(torch.quantile(torch.ones(3), levels))
    """
    assert clashes(text) == ["6: dtype"]
    assert clashes(text.replace("torch.ones(3)", "torch.ones(3).double()")) == []


def test_what_a_product_is_added_to_is_left_to_the_release_of_torch() -> None:
    """torch 2.11 takes it, 2.13 does not; what is added has one dtype in each."""
    assert clashes(f"{SETTING}\ntorch.addmv(y, m, x)\nx.addmv(n, y)\n") == []
    first = len(SETTING.splitlines()) + 1
    assert clashes(f"{SETTING}\ntorch.addmv(x, n, x)\ny.addmv_(m, y)\n") == [
        f"{first}: dtype",
        f"{first + 1}: dtype",
    ]
