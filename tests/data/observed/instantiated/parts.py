"""What the configuration may name."""
import torch
from torch import nn
from torch.nn import functional as F


class Scaled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, 3)

    def forward(self, x):
        return self.linear(x)


class Weighted:
    def __init__(self, weights):
        self.options = {"weight": torch.tensor(weights)}

    def __call__(self, logits, target):
        return F.cross_entropy(logits, target, **self.options)
