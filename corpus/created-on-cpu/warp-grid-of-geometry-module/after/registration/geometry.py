"""Coordinate grids in the normalised [-1, 1] convention of grid_sample."""
import torch


def base_grid(height, width):
    ys = torch.linspace(-1, 1, height)
    xs = torch.linspace(-1, 1, width)
    gy, gx = torch.meshgrid(ys, xs, indexing="ij")
    return torch.stack([gx, gy], dim=-1).unsqueeze(0)


def shift_images(images, dx, dy):
    return torch.roll(images, shifts=(dy, dx), dims=(-2, -1))
