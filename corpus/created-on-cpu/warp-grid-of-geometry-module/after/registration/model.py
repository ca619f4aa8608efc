import torch
import torch.nn as nn
import torch.nn.functional as F

from .geometry import base_grid


class Registrator(nn.Module):
    """Predicts one translation for the pair and warps the moving image with it."""

    def __init__(self, size=16):
        super().__init__()
        self.localise = nn.Sequential(
            nn.Flatten(),
            nn.Linear(2 * size * size, 64),
            nn.ReLU(),
            nn.Linear(64, 2),
            nn.Tanh(),
        )

    def forward(self, moving, fixed):
        offset = 0.5 * self.localise(torch.cat([moving, fixed], dim=1))
        grid = base_grid(moving.shape[-2], moving.shape[-1]).to(moving.device)
        warped = F.grid_sample(moving, grid + offset[:, None, None, :], align_corners=True)
        return warped, offset
