"""What an H200 answered (torch 2.11) of sparse, nested, quantised and compressed tensors, of truths and of scaled gradients."""

from __future__ import annotations

import warnings

import pytest
import torch

from devfix.simulator import simulated_accelerator

HEAD = """
import torch
from torch import nn
from torch.nn import functional as F
D = "cuda"
def m(dtype=torch.float32, device=D): return (torch.eye(4, device=device) * 3 + 1).to(dtype)
def v(dtype=torch.float32, device=D): return torch.tensor([1, 2, 3, 4], device=device).to(dtype)
def n(dtype=torch.float32, device=D): return torch.nested.nested_tensor([m(dtype, device), m(dtype, device)[:2]])
def step(dtype):
    scaler, p = torch.amp.GradScaler(), nn.Parameter(v(dtype))
    scaler.scale(p.sum()).backward()
    return scaler.step(torch.optim.SGD([p], 0.1))
half, brain, whole, wide, truth = torch.half, torch.bfloat16, torch.int64, torch.double, torch.bool
"""
REFUSED = {
    "torch.sparse.softmax(m(half).to_sparse(), 1)": "\"softmax\" not implemented for 'Half'",
    "torch.sparse.log_softmax(m(brain).to_sparse(), 1)": "\"log_softmax\" not implemented for 'BFloat16'",
    "torch.hspmm(m(whole).to_sparse(), m(whole))": "\"addmm_sparse_cuda\" not implemented for 'Long'",
    "torch.smm(m().to_sparse(), m())": "NYI: CUDA sspaddmm is not implemented",
    "torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), v()[:2])": (
        "Values and crow_indices need to be on the same device."
    ),
    "torch.sparse_csr_tensor(torch.tensor([0, 1, 2], device=D), torch.tensor([0, 1]), v()[:2])": (
        "Values and col_indices need to be on the same device."
    ),
    "nn.Linear(4, 2)(n())": (
        "got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method "
        "wrapper_NestedTensorCUDA__linear)"
    ),
    "nn.Linear(4, 2).cuda()(n(device='cpu'))": "got weight is on cuda:0, different from other tensors on cpu",
    "n() + n(device='cpu')": "found at least two devices, cuda:0 and cpu!",
    "step(brain)": "\"_amp_foreach_non_finite_check_and_unscale_cuda\" not implemented for 'BFloat16'",
    "step(half)": "Attempting to unscale FP16 gradients.",
    "torch.cat([v().new(4).zero_(), v(device='cpu').new(4).zero_()])": "different from other tensors on cuda:0",
    "torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 2)), {nn.Linear})(m())": (
        "Could not run 'quantized::linear_dynamic' with arguments from the 'CUDA' backend."
    ),
    "torch.autocast(D)(lambda: torch.sparse.mm(m().to_sparse(), m()))()": (
        "\"addmm_sparse_cuda\" not implemented for 'Half'"
    ),
}
GIVEN = {
    "torch.abs(v(truth))": "torch.bool",
    "torch.median(v(truth))": "torch.bool",
    "torch.trace(m(truth))": "torch.int64",
    "nn.Softsign()(v(truth))": "torch.float32",
    "nn.Linear(4, 2).cuda()(n())": "torch.float32",
    "n() @ n().transpose(1, 2)": "torch.float32",
    "n(wide) @ n(wide).transpose(1, 2)": "torch.float64",
    "n() * torch.tensor(2.0)": "torch.float32",
    "n() + n()": "torch.float32",
    "F.scaled_dot_product_attention(*[torch.nested.nested_tensor([torch.ones(2, 3, 8)]).to(D)] * 3)": "torch.float32",
    "torch.autocast(D)(lambda: nn.Linear(4, 2).cuda()(n()))()": "torch.float16",
    "torch.sparse.softmax(m().to_sparse(), 1)": "torch.float32",
    "torch.sparse_csr_tensor(*(torch.tensor(x, device=D) for x in ([0, 1, 2], [0, 1], [1.0, 2.0])))": "torch.float32",
    "torch.sparse.mm(m().to_sparse(), m())": "torch.float32",
}


def _asked(expression: str) -> torch.Tensor:
    names: dict[str, object] = {}
    with warnings.catch_warnings(), simulated_accelerator():
        warnings.simplefilter("ignore")
        exec(HEAD, names)
        result: torch.Tensor = eval(expression, names)
        assert str(result.device) == "cuda:0"
        return result


@pytest.mark.parametrize(("expression", "said"), REFUSED.items())
def test_what_is_refused(expression: str, said: str) -> None:
    with pytest.raises((RuntimeError, ValueError)) as caught:
        _asked(expression)
    assert said in str(caught.value)


@pytest.mark.parametrize(("expression", "dtype"), GIVEN.items())
def test_what_is_given(expression: str, dtype: str) -> None:
    assert str(_asked(expression).dtype) == dtype
