"""What the lines of the tables in ``operands`` are made of: each function makes a tensor of a dtype on a device.

The analysis reads this module as part of a program, so it is plain.
"""

from __future__ import annotations

import torch
from torch import nn

f32, f64, f16, bf16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
i64, i32, u8, b1 = torch.int64, torch.int32, torch.uint8, torch.bool
D, C = "cuda", "cpu"


def v(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """A vector."""
    return torch.tensor([1, 2, 3, 4], device=device).to(dtype)


def bits(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """A vector of zeros and ones."""
    return torch.tensor([0, 1, 1, 0], device=device).to(dtype)


def ids(dtype: torch.dtype = i64, device: str = D) -> torch.Tensor:
    """Indices, or classes."""
    return torch.tensor([0, 1, 1, 0], device=device).to(dtype)


def s(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """A tensor without dimensions."""
    return torch.tensor(1, device=device).to(dtype)


def m(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """A matrix, symmetric and positive definite."""
    return (torch.eye(4, device=device) * 3 + 1).to(dtype)


def b(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """A batch of two matrices."""
    return (torch.eye(4, device=device) * 3 + 1).expand(2, 4, 4).contiguous().to(dtype)


def line(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """Four channels of one dimension."""
    return torch.ones(1, 4, 8, device=device).to(dtype)


def image(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """Four channels of two dimensions."""
    return torch.ones(1, 4, 8, 8, device=device).to(dtype)


def volume(dtype: torch.dtype = f32, device: str = D) -> torch.Tensor:
    """Four channels of three dimensions."""
    return torch.ones(1, 4, 8, 8, 8, device=device).to(dtype)


def p(dtype: torch.dtype = f32, device: str = D) -> nn.Parameter:
    """A parameter."""
    return nn.Parameter(torch.ones(4, device=device).to(dtype))
