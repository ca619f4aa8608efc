import torch
from torch import nn

from settings import DEVICE


class UncertaintyWeighting(nn.Module):
    """Weights several losses by learned log variances (one for each task)."""

    def __init__(self, tasks):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(tasks), requires_grad=True)

    def forward(self, losses):
        losses = torch.stack(losses)
        return (torch.exp(-self.log_var) * losses + self.log_var).sum()
