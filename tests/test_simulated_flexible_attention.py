"""Flexible attention runs on the simulated accelerator, with the right numbers and the device checks of its parts."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from devfix.simulator import simulated_accelerator

pytestmark = pytest.mark.filterwarnings("ignore")
flexible = pytest.importorskip("torch.nn.attention.flex_attention")


def _query(device: str) -> torch.Tensor:
    return torch.arange(64.0).reshape(1, 2, 8, 4).sin().to(device)


def _attended(device: str, slope: torch.Tensor | None = None) -> tuple[torch.Tensor, Any]:
    query = _query(device).requires_grad_()
    mask = flexible.create_block_mask(lambda _b, _h, i, j: i >= j, None, None, 8, 8, device=device)
    bias = torch.tensor([0.5, 2.0], device=device) if slope is None else slope
    out = flexible.flex_attention(
        query, query, query, score_mod=lambda score, _b, h, i, j: score + bias[h] * (j - i), block_mask=mask
    )
    out.square().sum().backward()
    return out.detach(), query.grad


def _by_hand() -> tuple[torch.Tensor, Any]:
    """The same of plain operations: the CPU has no gradients of the operator."""
    query, place = _query("cpu").requires_grad_(), torch.arange(8)
    later = place[None, :] - place[:, None]
    score = query @ query.mT / 2 + torch.tensor([0.5, 2.0])[:, None, None] * later
    out = score.masked_fill(later > 0, float("-inf")).softmax(-1) @ query
    out.square().sum().backward()  # type: ignore[no-untyped-call]
    return out.detach(), query.grad


def test_the_numbers_are_those_of_plain_operations() -> None:
    wanted, gradient = _by_hand()
    with simulated_accelerator():
        found, own = _attended("cuda")
        assert found.device.type == own.device.type == "cuda"
        assert torch.allclose(found.cpu(), wanted, atol=1e-5)
        assert torch.allclose(own.cpu(), gradient, atol=1e-4)
        with torch.inference_mode():
            assert flexible.flex_attention(*[_query("cuda")] * 3).device.type == "cuda"


def test_what_its_functions_keep_has_to_be_there() -> None:
    with simulated_accelerator(), pytest.raises(RuntimeError, match="on the same device"):
        _attended("cuda", slope=torch.tensor([0.5, 2.0]))


def test_torch_has_its_own_kernel_back_afterwards() -> None:
    kernels = torch.ops.higher_order.flex_attention.py_kernels
    before = dict(kernels)
    with simulated_accelerator():
        assert kernels != before
    assert kernels == before
